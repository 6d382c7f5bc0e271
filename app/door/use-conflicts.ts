/** This device's conflicts, and a notice about those that the person at the door has not seen yet. */
import { useState } from 'react'
import type { DeviceConflict } from '@/lib/admission/conflicts'
import { conflictCopy } from '../copy/conflicts'
import { doorCopy } from '../copy/door'
import { formatDoorTime } from './door-time'
import { findScan } from './overview'
import type { ScanResult } from './scan-result'
import type { Offline } from './use-offline'

const NO_CONFLICTS: readonly DeviceConflict[] = []

type Conflicts = {
  conflicts: readonly DeviceConflict[]
  /** The notice about unseen conflicts; undefined if there are none. */
  notice: string | undefined
  /** Call when the user opens the list of conflicts. */
  markSeen(): void
}

export function useConflicts(offline: Offline | undefined, scans: readonly ScanResult[], timeZone: string): Conflicts {
  const conflicts = offline?.status?.conflicts ?? NO_CONFLICTS
  const [seen, setSeen] = useState(NO_CONFLICTS)
  const unseen = conflicts.filter(({ id }) => !seen.some((conflict) => conflict.id === id))
  const [first] = unseen
  const describe = (conflict: DeviceConflict) =>
    doorCopy.conflictNotice(
      conflictCopy.kinds[conflict.kind],
      findScan(scans, conflict)?.details?.guest,
      formatDoorTime(timeZone, Date.parse(conflict.at)),
    )
  const notice = unseen.length > 1 ? doorCopy.conflictNotices(unseen.length) : first && describe(first)
  return { conflicts, notice, markSeen: () => setSeen(conflicts) }
}
