/** Next's settings: the API answers at /v1 too, and no path is redirected for its trailing slash. */
const isBuiltOnce = process.env.DESK_BUILD_ONCE === '1'

export default {
  poweredByHeader: false,
  reactStrictMode: true,
  skipTrailingSlashRedirect: true,
  // Another lockfile further up, such as one in a home folder, must not become the root.
  turbopack: { root: import.meta.dirname },
  // `npm run dev` listens on the loopback address; Next by itself lets only `localhost` load its development files.
  allowedDevOrigins: ['127.0.0.1'],
  agentRules: false,
  // The scripts build a clone once: writing the cache for a next build takes a quarter of the time, and `npm run check` checks the types.
  experimental: { agentUpgrade: false, authInterrupts: true, turbopackFileSystemCacheForBuild: !isBuiltOnce },
  typescript: { ignoreBuildErrors: isBuiltOnce },
  serverExternalPackages: ['postgres', 'pino', '@node-rs/argon2', 'stripe', 'rate-limiter-flexible'],
  async rewrites() {
    return {
      beforeFiles: [
        { source: '/v1', destination: '/api/v1' },
        { source: '/v1/:path*', destination: '/api/v1/:path*' },
        // What a browser asks for before it has read that there is another.
        { source: '/favicon.ico', destination: '/icon.svg' },
      ],
    }
  },
}
