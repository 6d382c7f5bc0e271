'use client'
/** Shown during an outage, which must not look like an empty shop. */
import { Notice } from './_components/notice'
import { errorCopy } from './copy/errors'

export default function ErrorPage({ reset }: { error: Error; reset: () => void }) {
  return (
    <main role="alert">
      <Notice title={errorCopy.outage} hint={errorCopy.outageHint}>
        <button type="button" className="button" onClick={reset}>
          {errorCopy.again}
        </button>
      </Notice>
    </main>
  )
}
