'use client'
/** The error boundary. Replaces the page if it cannot be rendered, or if a change fails with an error that no form or button shows. */
import { Notice } from './_components/notice'
import { findActionMessage } from './action-error'
import { errorCopy } from './copy/errors'
import { shellCopy } from './copy/shell'

/**
 * @param error the cause. An `AbortError` is from `sendOnce`: the user has been signed out, or a change may have been made
 * @param retry requests the page from the server again
 */
export default function ErrorPage({ error, retry }: { error: Error; retry: () => void }) {
  const message = error.message === errorCopy.signedOut ? error.message : findActionMessage(error)
  const hasOutage = message === undefined
  const hint = error.name === 'AbortError' ? error.message : shellCopy.outageHint
  return (
    <main>
      <div role="alert">
        <Notice
          title={message === errorCopy.signedOut ? shellCopy.signedOut : (message ?? shellCopy.outage)}
          hint={hasOutage ? hint : errorCopy.nothingChanged}
        >
          {/* A retry would keep the page of a user who is no longer signed in. Without a session, a reload leads to the sign-in page. */}
          <button type="button" className="button" onClick={hasOutage ? retry : () => window.location.reload()}>
            {hasOutage ? shellCopy.again : errorCopy.reload}
          </button>
        </Notice>
      </div>
    </main>
  )
}
