/** Describes database errors to the operator. */
import { isUnavailable, unavailableReason, withCauses } from '@/db/unavailable'

type Description = [problem: string, advice: string]

/** The problem and the advice for each outage reason. Outages with any other reason are described as `UNREACHABLE`. */
const OUTAGES: Record<string, Description> = {
  lock_timeout: ['The database canceled a statement that waited too long for a lock', 'Run the command again.'],
  statement_timeout: ['The database canceled a statement that took too long', 'Run the command again when the database is less busy.'],
  deadlock: ['The database canceled a transaction that conflicted with another one', 'Run the command again.'],
  out_of_resources: ['The database is out of disk space or memory', 'Free up space or memory, and run the command again.'],
  too_many_connections: [
    'The database has no free connection',
    'Close other connections or raise max_connections, and run the command again.',
  ],
}
const UNREACHABLE: Description = ['Cannot reach the database', 'Check DATABASE_URL and that PostgreSQL is running.']

const WRONG_LOGIN: Description = [
  'The database rejects the connection',
  'Check the user and the password in DATABASE_URL, and in MIGRATE_DATABASE_URL if it is set.',
]

/** The problem and the advice for each SQLSTATE of errors caused by the connection string or the database user's privileges. */
const CONFIGURATION_ERRORS: Record<string, Description> = {
  '28000': WRONG_LOGIN,
  '28P01': WRONG_LOGIN,
  '3D000': ['The database rejects the connection', 'Create the database, or correct its name in the connection string.'],
  '42501': [
    'The database user lacks a privilege',
    '`desk migrate` and `desk restore` need the user that owns the tables: set MIGRATE_DATABASE_URL. Other commands need a user with the role desk_server.',
  ],
}

/** Returns a message for an outage or an error that is caused by the configuration; undefined for all other errors. */
export function describeDatabaseError(error: Error): string | undefined {
  const { message, code } = ([...withCauses(error)].at(-1) ?? error) as NodeJS.ErrnoException
  const outage = isUnavailable(error) ? (OUTAGES[unavailableReason(error) ?? ''] ?? UNREACHABLE) : undefined
  const description = CONFIGURATION_ERRORS[code ?? ''] ?? outage
  if (!description) return undefined
  const [problem, advice] = description
  return `${problem}: ${(message || code)?.replace(/\.$/, '')}. ${advice}`
}
