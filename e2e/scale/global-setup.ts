/** Starts Debian's PostgreSQL and the programs for the setup selected by SCALE. */
import { startServerUnderTest } from '../support/server-under-test'
import { startBouncer } from './bouncer'
import { startCluster } from './cluster'

export default async function setup() {
  const cluster = await startCluster()
  const database = { ownerUrl: cluster.url, serverUrl: cluster.serverUrl, folder: cluster.folder }
  const ends: (() => Promise<unknown>)[] = [cluster.remove]
  if (process.env.SCALE === 'pair') ends.push(await startServerUnderTest({ ...database, pair: true }))
  if (process.env.SCALE === 'bouncer') {
    const bouncer = await startBouncer(cluster)
    ends.push(bouncer.stop, await startServerUnderTest({ ...database, serverUrl: bouncer.url }))
  }
  if (process.env.SCALE === 'replica') {
    const replica = await cluster.addReplica()
    process.env.TEST_REPLICA_URL = replica.url
    ends.push(await startServerUnderTest({ ...database, env: { DATABASE_REPLICA_URL: replica.serverUrl } }))
  }
  return async () => {
    for (const end of ends.reverse()) await end()
  }
}
