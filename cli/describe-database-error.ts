/** Describes errors of an unavailable database to the operator. */
import { unavailableReason } from '@/db/unavailable'

/** What is wrong and what to do, by reason. For all other reasons, the database cannot be reached. */
const DESCRIPTIONS: Record<string, [problem: string, advice: string]> = {
  lock_timeout: ['The database canceled a statement that waited too long for a lock', 'Run the command again.'],
  statement_timeout: ['The database canceled a statement that took too long', 'Run the command again when the database is less busy.'],
  deadlock: ['The database canceled a transaction that conflicted with another one', 'Run the command again.'],
  out_of_resources: ['The database is out of disk space or memory', 'Free up space or memory, and run the command again.'],
  too_many_connections: [
    'The database has no free connection',
    'Close other connections or raise max_connections, and run the command again.',
  ],
}
const UNREACHABLE = ['Cannot reach the database', 'Check DATABASE_URL and that PostgreSQL is running.'] as const

const findRootCause = (error: Error): Error => (error.cause instanceof Error ? findRootCause(error.cause) : error)

/** Returns a message for an error for which `isUnavailable` is true. */
export function describeOutage(error: Error): string {
  const [problem, advice] = DESCRIPTIONS[unavailableReason(error) ?? ''] ?? UNREACHABLE
  const { message, code } = findRootCause(error) as NodeJS.ErrnoException
  return `${problem}: ${(message || code)?.replace(/\.$/, '')}. ${advice}`
}
