/** Recognizes the one known fault of postgres.js that surfaces as an uncaught exception. */

/**
 * Returns whether an error is the TypeError that postgres.js 3.4.9 throws from a timer if a connection ends with data left to write
 * (porsager/postgres #1154, #1208). The error belongs to no query, and the pool that it came from no longer responds.
 */
export function isDriverFault(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false
  const [frame = ''] = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return /^\s+at (\S+\.)?nextWrite \(.*[\\/]node_modules[\\/]postgres[\\/](src|cjs[\\/]src)[\\/]connection\.js:\d+:\d+\)$/.test(frame)
}
