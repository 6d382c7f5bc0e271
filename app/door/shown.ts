/** What the door shows of each scan. */
import type { ScanAnswer, ScanKind } from './answers'

/** `offline` is no answer at all; `failed` is one that was about the request and not about the ticket. */
export type ShownKind = ScanKind | 'undone' | 'offline' | 'failed'

export type Shown = { id: number; kind: ShownKind | 'checking'; answer?: Partial<ScanAnswer> | undefined }
