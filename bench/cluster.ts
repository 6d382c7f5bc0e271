/** Starts the measured PostgreSQL server: the embedded one, in a separate folder, with the product's settings except for replication. */
import postgres from 'postgres'
import { type EmbeddedServer, joinEmbedded } from '@/db/embedded'

/** The data folder. Kept between runs, because generating the records takes minutes. */
export const FOLDER = '.data/bench'

/** Turns off replication, which reduces the WAL and halves the time to generate the records. @returns whether a restart is needed */
async function disableReplication(url: string): Promise<boolean> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [row] = await admin<{ wal_level: string }[]>`show wal_level`
    if (row?.wal_level === 'minimal') return false
    await admin.unsafe('alter system set wal_level = minimal')
    await admin.unsafe('alter system set max_wal_senders = 0')
    return true
  } finally {
    await admin.end()
  }
}

/** Starts the server, or joins it if it is already running. */
export async function openCluster(): Promise<EmbeddedServer> {
  const cluster = await joinEmbedded(FOLDER)
  if (!(await disableReplication(cluster.url))) return cluster
  await cluster.leave()
  return joinEmbedded(FOLDER)
}
