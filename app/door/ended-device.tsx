'use client'
/** The page of a device that was revoked or has expired. The device reports its remaining scans and deletes its list. */
import { doorCopy } from '../copy/door'
import { useOffline } from './use-offline'

const { ended: copy, offline } = doorCopy

export function EndedDevice() {
  const { status } = useOffline('ended')
  const unsent = status?.unsent
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-4 px-5 py-12">
      <h1 className="font-semibold text-2xl tracking-tight">{copy.title}</h1>
      <p className="text-quiet">{copy.hint}</p>
      <p role="status" data-unsent={unsent} className="text-lg">
        {unsent === undefined ? offline.opening : unsent === 0 ? copy.sent : offline.unsent(unsent)}
      </p>
      <a href="/door/enroll" className="button-primary h-16 text-lg">
        {copy.enroll}
      </a>
    </main>
  )
}
