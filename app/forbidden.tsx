/** The 403 page, for pages that the user's role cannot access. */
import { Notice } from './_components/notice'
import { missingPageCopy } from './copy/missing-page'

export default function Forbidden() {
  return (
    <main>
      <Notice title={missingPageCopy.forbidden} hint={missingPageCopy.forbiddenHint}>
        <a className="button" href="/">
          {missingPageCopy.home}
        </a>
      </Notice>
    </main>
  )
}
