/** Parses IDs that server actions receive. */
import { OBJECT_ID } from '@/lib/core/object-id-pattern'

/** Returns a submitted ID in lowercase, or an empty string, which matches nothing, if it is malformed. */
export const parseId = (value: unknown): string => (typeof value === 'string' && OBJECT_ID.test(value) ? value.toLowerCase() : '')
