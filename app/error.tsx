'use client'
/** An outage: says so, and never looks like an empty shop. */
import { Notice } from './_components/notice'
import { errorWords } from './copy/errors'

export default function ErrorPage({ reset }: { error: Error; reset: () => void }) {
  return (
    <main role="alert">
      <Notice title={errorWords.outage} hint={errorWords.outageHint}>
        <button type="button" className="button" onClick={reset}>
          {errorWords.again}
        </button>
      </Notice>
    </main>
  )
}
