/** The PostgreSQL that is measured: the embedded one, in a folder of its own, with the product's own settings. */
import postgres from 'postgres'
import { type Embedded, joinEmbedded } from '@/db/embedded'

/** Kept between runs: making the records takes most of the first. */
export const FOLDER = '.data/bench'

/** But for one: a log for replicas is not written, so that the records are made in half the time. */
async function withoutReplicas(url: string): Promise<boolean> {
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

export async function openCluster(): Promise<Embedded> {
  const cluster = await joinEmbedded(FOLDER)
  if (!(await withoutReplicas(cluster.url))) return cluster
  await cluster.leave()
  return joinEmbedded(FOLDER)
}
