/** The id that each answer carries, and that a log line can be found by. */
import { randomBytes } from 'node:crypto'

export const newRequestId = () => `req_${randomBytes(12).toString('hex')}`
