/** How the check-in page identified a ticket. The API's `method` only distinguishes scans from manual entries. */
import type { CheckIn } from '../catalog/ticket'

export const SCAN_SOURCES = ['camera', 'scanner', 'typed', 'guest_list'] as const
export type ScanSource = (typeof SCAN_SOURCES)[number]

/** The sources that provide a code. */
export const CODE_SOURCES = ['camera', 'scanner', 'typed'] as const
export type CodeSource = (typeof CODE_SOURCES)[number]

const PHRASES: Record<CheckIn['method'] | ScanSource, string> = {
  QRSCAN: 'by QR scan',
  MANUAL: 'manually',
  camera: 'by QR scan',
  scanner: 'by scanner',
  typed: 'with a typed code',
  guest_list: 'from the guest list',
}

/**
 * Returns a phrase for how an entry of a ticket's history was made, such as `with a typed code`.
 *
 * @param source null if it is unknown, as for entries made through the API
 */
export const describeEntryMethod = ({ method, source }: { method: CheckIn['method']; source?: ScanSource | null | undefined }) =>
  PHRASES[source ?? method]
