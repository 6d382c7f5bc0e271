/** Starts the measured PostgreSQL server: the embedded one, in a separate folder, with two settings that differ from the product's. */
import postgres from 'postgres'
import { type EmbeddedServer, joinEmbedded } from '@/db/embedded'

/** The data folder. It is kept between runs, because generating the records takes minutes. */
export const FOLDER = '.data/bench'

/** The connection limit: enough for the references and four servers, each of which opens up to 32 connections. */
const MAX_CONNECTIONS = 250

/**
 * Raises the connection limit, and turns off replication, which reduces the WAL and halves the time to generate the records.
 *
 * @returns whether a restart is needed
 */
async function changeSettings(url: string): Promise<boolean> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [row] = await admin<{ level: string; connections: number }[]>`
      select current_setting('wal_level') as level, current_setting('max_connections')::int as connections`
    if (row?.level === 'minimal' && row.connections === MAX_CONNECTIONS) return false
    await admin.unsafe('alter system set wal_level = minimal')
    await admin.unsafe('alter system set max_wal_senders = 0')
    await admin.unsafe(`alter system set max_connections = ${MAX_CONNECTIONS}`)
    return true
  } finally {
    await admin.end()
  }
}

/** Starts the server, or joins it if it is already running. */
export async function openCluster(): Promise<EmbeddedServer> {
  const cluster = await joinEmbedded(FOLDER)
  if (!(await changeSettings(cluster.url))) return cluster
  await cluster.leave()
  return joinEmbedded(FOLDER)
}
