/** What the door's page is told about a scan: the same on the server that says it and in the browser that shows it. */

export type ScanKind = 'admitted' | 'looked' | 'already_checked_in' | 'canceled' | 'other_event' | 'unknown'

export type ScanAnswer = {
  kind: ScanKind
  /** For a person. */
  message: string
  guest?: string | undefined
  type?: string | undefined
  order?: string | undefined
  shortId?: string | undefined
}
