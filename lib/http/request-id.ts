/** The id that each answer carries, and that a log line can be found by. */
import { randomFillSync } from 'node:crypto'

const LENGTH = 12
/** Asking for chance costs as much for one id as for hundreds. */
const pool = Buffer.alloc(LENGTH * 256)
let used = pool.length

export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += LENGTH
  return `req_${pool.toString('hex', used - LENGTH, used)}`
}
