/** Starts the PostgreSQL server for benchmarks: the embedded server with its own data folder and a few different settings. */
import postgres from 'postgres'
import { type EmbeddedServer, joinEmbedded } from '@/db/embedded'

/** The data folder, kept between runs because generating the records takes minutes. */
export const FOLDER = '.data/bench'

/** Enough connections for the references and four servers with up to 32 connections each. */
const MAX_CONNECTIONS = 250

/**
 * Raises the connection limit and turns off replication, which reduces the WAL and halves the time to generate the records.
 *
 * @returns whether a restart is needed
 */
async function applySettings(url: string): Promise<boolean> {
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

/** Starts the server or, if it is already running, joins it. */
export async function openCluster(): Promise<EmbeddedServer> {
  const cluster = await joinEmbedded(FOLDER)
  if (!(await applySettings(cluster.url))) return cluster
  await cluster.leave()
  return joinEmbedded(FOLDER)
}
