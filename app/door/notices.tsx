/** The notices at the top of the scanner: camera errors, conflicts, late results of earlier scans, and others such as a full event. */
import { doorCopy } from '../copy/door'
import type { CameraError } from './camera'
import type { ScanResult } from './scan-result'

type Props = {
  /** Whether the camera is on. Its buttons are at the top, so the notices are below them. */
  isCameraOn: boolean
  cameraError: CameraError | undefined
  /** Other notices, without a button. */
  notices: (string | undefined)[]
  /** The text that screen readers announce when it changes; undefined if there is none. */
  announcement: string | undefined
  /** The notice about this device's new conflicts; undefined if there are none. */
  conflict: string | undefined
  onConflicts: () => void
  /** An earlier scan whose response arrived after a newer scan had started. */
  late: ScanResult | undefined
}

const STYLE = 'rounded-lg border px-3 py-2 text-sm'

export function Notices({ isCameraOn, cameraError, notices, announcement, conflict, onConflicts, late }: Props) {
  return (
    <div className={`pointer-events-none absolute inset-x-2 flex flex-col gap-2 ${isCameraOn ? 'top-20' : 'top-2'}`}>
      {cameraError ? (
        <p role="alert" className={`${STYLE} border-bad bg-bad-soft text-bad`}>
          {doorCopy.cameraErrors[cameraError]}
        </p>
      ) : null}
      {conflict ? (
        <div role="status" className={`${STYLE} pointer-events-auto flex items-center gap-3 border-bad bg-bad-soft text-bad`}>
          <p className="wrap-anywhere grow">{conflict}</p>
          <button type="button" className="button h-16 shrink-0 text-ink" onClick={onConflicts}>
            {doorCopy.conflictShow}
          </button>
        </div>
      ) : null}
      {notices.map((notice) =>
        notice ? (
          <p key={notice} className={`${STYLE} border-warn bg-warn-soft text-warn`}>
            {notice}
          </p>
        ) : null,
      )}
      {/* Always rendered, because screen readers announce only changes. */}
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {late && late.kind !== 'checking' ? (
        <p role="status" className={`${STYLE} border-line bg-card`}>
          {doorCopy.earlier}: <strong>{doorCopy.outcomes[late.kind]}</strong> {late.details?.guest}
        </p>
      ) : null}
    </div>
  )
}
