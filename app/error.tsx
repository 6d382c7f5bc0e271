'use client'
/** The error boundary: shown instead of a page that cannot be rendered, for example during an outage. */
import { Notice } from './_components/notice'
import { shellCopy } from './copy/shell'

/**
 * @param error an `AbortError` if the response to a change was lost
 * @param retry a function that requests the page from the server again
 */
export default function ErrorPage({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <main role="alert">
      <Notice title={shellCopy.outage} hint={error.name === 'AbortError' ? shellCopy.lost : shellCopy.outageHint}>
        <button type="button" className="button" onClick={retry}>
          {shellCopy.again}
        </button>
      </Notice>
    </main>
  )
}
