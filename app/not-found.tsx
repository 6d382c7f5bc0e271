/** The 404 page. */
import { Notice } from './_components/notice'
import { missingPageCopy } from './copy/missing-page'

export default function NotFound() {
  return (
    <main>
      <Notice title={missingPageCopy.notFound} hint={missingPageCopy.notFoundHint}>
        <a className="button" href="/">
          {missingPageCopy.home}
        </a>
      </Notice>
    </main>
  )
}
