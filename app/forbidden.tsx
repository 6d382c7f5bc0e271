/** 403 page: the user's role does not have access. */
import Link from 'next/link'
import { Notice } from './_components/notice'
import { errorCopy } from './copy/errors'

export default function Forbidden() {
  return (
    <main>
      <Notice title={errorCopy.forbidden} hint={errorCopy.forbiddenHint}>
        <Link className="button" href="/">
          {errorCopy.home}
        </Link>
      </Notice>
    </main>
  )
}
