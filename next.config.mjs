/** Next's settings: the API is also available at /v1, and trailing slashes are not redirected. */
const isBuiltOnce = process.env.DESK_BUILD_ONCE === '1'

export default {
  poweredByHeader: false,
  reactStrictMode: true,
  skipTrailingSlashRedirect: true,
  // `refuse-request.ts` rejects the image optimizer's path; this also applies under `next start`.
  images: { unoptimized: true },
  // Without this, a lockfile in a parent folder, such as the home folder, could determine the project's root.
  turbopack: { root: import.meta.dirname },
  // `npm run dev` listens on the loopback address, but by default Next lets only `localhost` load its development files.
  allowedDevOrigins: ['127.0.0.1'],
  agentRules: false,
  experimental: {
    agentUpgrade: false,
    authInterrupts: true,
    // A failed navigation waits for the connection, instead of ending on the browser's error page. `app/send-once.ts` exempts server
    // actions that might have arrived.
    useOffline: true,
    // `server.ts` rejects larger bodies before Next reads them; this limit also applies under `next start`.
    serverActions: { bodySizeLimit: '64kb' },
    // The scripts build a clone only once, and writing a cache for later builds would take a quarter of the build time. `npm run check`
    // checks the types.
    turbopackFileSystemCacheForBuild: !isBuiltOnce,
  },
  typescript: { ignoreBuildErrors: isBuiltOnce },
  serverExternalPackages: ['postgres', 'pino', '@node-rs/argon2', 'stripe', 'rate-limiter-flexible'],
  async rewrites() {
    return {
      beforeFiles: [
        { source: '/v1', destination: '/api/v1' },
        { source: '/v1/:path*', destination: '/api/v1/:path*' },
        // Browsers request this path before they have read the HTML that links to the icon.
        { source: '/favicon.ico', destination: '/icon.svg' },
      ],
    }
  },
}
