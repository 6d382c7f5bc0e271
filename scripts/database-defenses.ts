/** Defenses for the embedded PostgreSQL, the server’s database user and migrations. */
import type { Defense } from './defenses'

export const DATABASE_DEFENSES: Defense[] = [
  {
    name: 'database user that owns no tables',
    cuts: [{ file: 'lib/core/connect.ts', from: 'logReplicaChange), ensureServerUser, {', to: 'logReplicaChange), undefined, {' }],
    test: { file: 'e2e/process.spec.ts', title: 'without configuration' },
    says: /desk_app/,
  },
  {
    name: 'restricted privileges of the database user',
    cuts: [{ file: 'db/server-user.ts', from: 'in role desk_server`', to: 'in role desk_server superuser`' }],
    test: { file: 'db/server-user.test.ts', title: 'cannot drop' },
    says: /drop table/,
  },
  {
    name: 'no values in the embedded PostgreSQL’s log',
    cuts: [{ file: 'db/embedded-cluster.ts', from: ' -c log_error_verbosity=terse', to: '' }],
    test: { file: 'db/schema.test.ts', title: 'writes no values to its log' },
    says: /not to contain/,
  },
  {
    name: 'embedded PostgreSQL stops even while a connection to it is being opened',
    cuts: [{ file: 'db/embedded.ts', from: 'usesysid is not null and ', to: '' }],
    test: { file: 'cli/command.test.ts', title: 'while a connection is being opened' },
    says: /to be undefined/,
  },
  {
    name: 'embedded PostgreSQL stops if the server is interrupted while starting',
    cuts: [{ file: 'cli/command.ts', from: 'await Promise.race([disconnect(), pause(STOP_MS)])', to: 'void [disconnect, pause, STOP_MS]' }],
    test: { file: 'cli/load-sample.test.ts', title: 'stops the embedded database if Ctrl-C interrupts the start' },
    says: /to be undefined/,
  },
  {
    name: 'embedded PostgreSQL starts even if its process ID has been reused',
    cuts: [{ file: 'db/embedded-cluster.ts', from: '  await replaceReusedPid(home)\n', to: '' }],
    test: { file: 'db/embedded.test.ts', title: 'another process now has the process ID of a server that was killed' },
    says: /did not start/,
  },
  {
    name: 'embedded PostgreSQL is started again after a crash',
    cuts: [{ file: 'db/embedded.ts', from: '          await start(home, port)\n', to: '' }],
    test: { file: 'db/embedded.test.ts', title: 'starts a server that was killed again' },
    says: /to deep equally contain/,
  },
  {
    name: 'embedded PostgreSQL can be stopped while the disk is full',
    cuts: [{ file: 'db/embedded.ts', from: 'work, LOCK_WAIT_MS, true)', to: 'work, LOCK_WAIT_MS)' }],
    test: { file: 'e2e/faults/disk.fault.ts', title: 'the embedded database can be joined and stopped' },
    says: /ENOSPC/,
  },
  {
    name: 'migrations do not block writers while waiting',
    cuts: [{ file: 'db/migrate.ts', from: 'const LOCK_MS = 2_000', to: 'const LOCK_MS = 600_000' }],
    test: { file: 'db/migrate.test.ts', title: 'does not block other writers while it waits for the end of a long transaction' },
    says: /lock timeout/,
  },
  {
    name: 'migrations retried after a deadlock',
    cuts: [{ file: 'db/migrate.ts', from: "['lock_timeout', 'deadlock']", to: "['lock_timeout']" }],
    test: { file: 'db/migrate.test.ts', title: 'yields to a writer that it would deadlock with, and tries again' },
    says: /deadlock detected/,
  },
]
