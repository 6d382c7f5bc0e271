/** 403: signed in, but not allowed here. */
import Link from 'next/link'
import { Notice } from './_components/notice'
import { errorWords } from './copy/errors'

export default function Forbidden() {
  return (
    <main>
      <Notice title={errorWords.forbidden} hint={errorWords.forbiddenHint}>
        <Link className="button" href="/">
          {errorWords.home}
        </Link>
      </Notice>
    </main>
  )
}
