/** 404 page. */
import Link from 'next/link'
import { Notice } from './_components/notice'
import { errorCopy } from './copy/errors'

export default function NotFound() {
  return (
    <main>
      <Notice title={errorCopy.notFound} hint={errorCopy.notFoundHint}>
        <Link className="button" href="/">
          {errorCopy.home}
        </Link>
      </Notice>
    </main>
  )
}
