/** Runs two servers on one database behind a proxy that alternates between them. */
import { rm } from 'node:fs/promises'
import { freePort } from '@/testing/free-port'
import { makeTemporaryFolder } from '@/testing/postgres'
import { type Program, serve, stop } from './processes'
import { type RoundRobinProxy, startRoundRobinProxy } from './round-robin-proxy'

type Server = Program & { url: string }

export type Pair = {
  /** The proxy's URL. */
  url: string
  servers: [Server, Server]
  proxy: RoundRobinProxy
  /** Starts a replacement for a server that has exited, and adds it to the proxy. */
  replace(index: 0 | 1): Promise<void>
  stop(): Promise<void>
}

/** The secret that both servers share, because they share the sessions in the database. */
const NEXTAUTH_SECRET = 'the secret with which two servers share sessions'

const getPort = ({ url }: Server) => Number(new URL(url).port)

/** Starts the servers and the proxy. @param env additional environment variables for both servers */
export async function servePair(env: Record<string, string | undefined>): Promise<Pair> {
  const port = await freePort()
  const folders = await Promise.all([makeTemporaryFolder(), makeTemporaryFolder()])
  const start = (DATA_DIR: string) =>
    serve({ NEXTAUTH_SECRET, NEXTAUTH_URL: `http://127.0.0.1:${port}`, TRUST_PROXY: '1', ...env, DATA_DIR, PORT: '0' })
  const servers = (await Promise.all(folders.map(start))) as Pair['servers']
  const proxy = await startRoundRobinProxy(servers.map(getPort), port)
  return {
    url: proxy.url,
    servers,
    proxy,
    replace: async (index) => {
      servers[index] = await start(String(folders[index]))
      proxy.setTarget(index, getPort(servers[index]))
    },
    stop: async () => {
      await proxy.close()
      await Promise.all(servers.filter(({ child }) => child.exitCode === null && child.signalCode === null).map((server) => stop(server)))
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
    },
  }
}
