'use client'
/** The page of a device that was revoked or has expired. It sends the remaining scans and deletes the ticket list. */
import { doorCopy } from '../copy/door'
import { type Offline, useOffline } from './use-offline'

const { ended: copy, offline } = doorCopy

/** Describes the unsent scans. @param unsent their number; undefined if they have not been read */
function describeUnsent(unsent: number | undefined, problem: Offline['problem']): string {
  // If code did not load, a retry will probably succeed.
  if (unsent === undefined) return problem === undefined || problem === 'code' ? copy.checking : copy.unreadable
  return unsent === 0 ? copy.sent : offline.unsent(unsent)
}

export function EndedDevice() {
  const { status, problem } = useOffline('ended')
  const unsent = status?.unsent
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-4 px-5 py-12">
      <h1 className="font-semibold text-2xl tracking-tight">{copy.title}</h1>
      <p className="text-quiet">{copy.hint}</p>
      <p role="status" data-unsent={unsent} className="text-lg">
        {describeUnsent(unsent, problem)}
      </p>
      <a href="/door/enroll" className="button-primary h-16 text-lg">
        {copy.enroll}
      </a>
    </main>
  )
}
