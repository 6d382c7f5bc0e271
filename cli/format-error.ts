/** Formats an error that makes `desk`, the demo or the development server exit. */
import { EmbeddedError } from '@/db/embedded-home'
import { MigrationError } from '@/db/migrate'
import { isSchemaMismatch } from '@/db/unavailable'
import { AccountError, EmailTakenError } from '@/lib/accounts/account-error'
import { RestoreError } from '@/lib/backup/restore'
import { EnvError } from '@/lib/core/env'
import { FileError } from '@/lib/core/private-file'
import { SourceError } from '@/lib/sync/pull/source'
import { ExpectedError } from '@/public/docs/listen.mjs'
import { CommandError } from './command'
import { describeDatabaseError } from './describe-database-error'

/** Expected errors, which are printed without a stack trace. Their messages say what is wrong and what to do. */
const EXPECTED_ERRORS = [
  AccountError,
  CommandError,
  EmailTakenError,
  EmbeddedError,
  EnvError,
  ExpectedError,
  FileError,
  MigrationError,
  RestoreError,
  SourceError,
]

/** Returns a message that says what is wrong and what to do or, for an unexpected error, the stack trace. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (EXPECTED_ERRORS.some((type) => error instanceof type)) return error.message
  const databaseProblem = describeDatabaseError(error)
  if (databaseProblem) return databaseProblem
  if (isSchemaMismatch(error))
    return `${error.message}. The database may lack tables that this version needs. Run \`npm run desk -- migrate\`.`
  return error.stack ?? error.message
}
