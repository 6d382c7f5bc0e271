/** 404. */
import Link from 'next/link'
import { Notice } from './_components/notice'
import { words } from './words'

export default function NotFound() {
  return (
    <main>
      <Notice title={words.errors.notFound} hint={words.errors.notFoundHint}>
        <Link className="button" href="/">
          {words.errors.home}
        </Link>
      </Notice>
    </main>
  )
}
