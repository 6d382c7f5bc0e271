/** Recognizes the one known fault of postgres.js that surfaces as an uncaught exception. */

/**
 * True for the TypeError that postgres.js 3.4.9 throws from a timer if a connection ends with data left to write
 * (porsager/postgres #1154, #1208). It belongs to no query; the pool it came from no longer answers.
 */
export function isDriverFault(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false
  const [frame = ''] = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return /^\s+at (\S+\.)?nextWrite \(.*[\\/]node_modules[\\/]postgres[\\/](src|cjs[\\/]src)[\\/]connection\.js:\d+:\d+\)$/.test(frame)
}
