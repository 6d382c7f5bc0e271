/** 404. */
import Link from 'next/link'
import { Notice } from './_components/notice'
import { errorWords } from './copy/errors'

export default function NotFound() {
  return (
    <main>
      <Notice title={errorWords.notFound} hint={errorWords.notFoundHint}>
        <Link className="button" href="/">
          {errorWords.home}
        </Link>
      </Notice>
    </main>
  )
}
