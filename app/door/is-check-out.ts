/** Distinguishes check-outs from undone check-ins. */
import type { CheckIn } from '@/lib/catalog/ticket'

/** Returns whether a history entry is a check-out. An undone check-in has the same status, but its method is `MANUAL`. */
export const isCheckOut = ({ status, method }: Pick<CheckIn, 'status' | 'method'>) => status === 'UNCHECKEDIN' && method === 'QRSCAN'
