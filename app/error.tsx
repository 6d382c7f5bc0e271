'use client'
/** Shown during an outage, which must not look like an empty shop. */
import { Notice } from './_components/notice'
import { errorCopy } from './copy/errors'

/** @param retry asks the server for the page again */
export default function ErrorPage({ retry }: { error: Error; retry: () => void }) {
  return (
    <main role="alert">
      <Notice title={errorCopy.outage} hint={errorCopy.outageHint}>
        <button type="button" className="button" onClick={retry}>
          {errorCopy.again}
        </button>
      </Notice>
    </main>
  )
}
