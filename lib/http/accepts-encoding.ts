/** Determines whether a client accepts a compressed response. */
import type { IncomingMessage } from 'node:http'

/** Returns whether a request's Accept-Encoding header includes an encoding. A weight of zero excludes it (RFC 9110, 12.4.2). */
export const acceptsEncoding = ({ headers }: Pick<IncomingMessage, 'headers'>, name: 'br' | 'gzip'): boolean =>
  new RegExp(`(?:^|[ \\t,])${name}[ \\t]*(?:$|,|;(?![ \\t]*q=0(?:\\.0*)?[ \\t]*(?:$|,)))`, 'i').test(String(headers['accept-encoding']))
