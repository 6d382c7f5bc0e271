/** 403: signed in, but not allowed here. */
import Link from 'next/link'
import { Notice } from './_components/notice'
import { words } from './words'

export default function Forbidden() {
  return (
    <main>
      <Notice title={words.errors.forbidden} hint={words.errors.forbiddenHint}>
        <Link className="button" href="/">
          {words.errors.home}
        </Link>
      </Notice>
    </main>
  )
}
