/** Parses IDs that server actions receive. */
import { OBJECT_ID } from '@/lib/core/object-id'

/** Returns a submitted ID in lowercase. Returns an empty string, which matches nothing, if the ID is malformed. */
export const parseId = (value: unknown): string => (typeof value === 'string' && OBJECT_ID.test(value) ? value.toLowerCase() : '')
