'use client'
/** The error boundary: shown instead of a page that cannot be rendered, for example during an outage. */
import { Notice } from './_components/notice'
import { findActionMessage } from './action-error'
import { errorCopy } from './copy/errors'
import { shellCopy } from './copy/shell'

/**
 * @param error the cause. An `AbortError` means that the response to a change was lost
 * @param retry a function that requests the page from the server again
 */
export default function ErrorPage({ error, retry }: { error: Error; retry: () => void }) {
  const message = error.message === errorCopy.signedOut ? error.message : findActionMessage(error)
  if (message !== undefined) {
    return (
      <main>
        <div role="alert">
          <Notice title={message} hint={errorCopy.nothingChanged}>
            {/* A retry would keep the page of a user who is no longer signed in. */}
            <button type="button" className="button" onClick={() => window.location.reload()}>
              {errorCopy.reload}
            </button>
          </Notice>
        </div>
      </main>
    )
  }
  return (
    <main>
      <div role="alert">
        <Notice title={shellCopy.outage} hint={error.name === 'AbortError' ? error.message : shellCopy.outageHint}>
          <button type="button" className="button" onClick={retry}>
            {shellCopy.again}
          </button>
        </Notice>
      </div>
    </main>
  )
}
