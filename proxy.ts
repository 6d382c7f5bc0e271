/**
 * Sets the security headers of pages, public files and next-auth's routes: content security policy, framing, and camera access. If a form
 * was submitted without JavaScript, copies the page's user from its URL to the header. Does not run for the API, Next's static files, the
 * health checks or the Stripe webhook.
 */
import { randomBytes } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { PAGE_USER } from '@/app/page-user'
import { isBehindTls } from '@/lib/core/env'

/** The check-in page decodes camera images with WebAssembly. No other page needs the camera or WebAssembly. */
const isDoorPath = (path: string) => path === '/door' || path === '/door/'

/** Next's development client evaluates modules, adds styles and opens a websocket. The build replaces this with a constant. */
const isDevelopment = process.env.NODE_ENV === 'development'

const contentPolicy = (nonce: string, isDoor: boolean) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${isDoor ? " 'wasm-unsafe-eval'" : ''}${isDevelopment ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? ' ws:' : ''}`,
    "media-src 'self' blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const permissionsPolicy = (isDoor: boolean) =>
  [`camera=(${isDoor ? 'self' : ''})`, 'microphone=()', 'geolocation=()', 'payment=()', 'usb=()', 'display-capture=()'].join(', ')

const YEAR_SECONDS = 365 * 24 * 60 * 60

export function proxy(request: NextRequest): NextResponse {
  const isDoor = isDoorPath(request.nextUrl.pathname)
  const policy = contentPolicy(randomBytes(16).toString('base64'), isDoor)
  const headers = new Headers(request.headers)
  // Next reads the nonce for its own scripts from this header.
  headers.set('Content-Security-Policy', policy)
  const pageUser = request.method === 'POST' && !headers.has('next-action') ? request.nextUrl.searchParams.get(PAGE_USER) : null
  if (pageUser !== null) headers.set(PAGE_USER, pageUser)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('Content-Security-Policy', policy)
  response.headers.set('Permissions-Policy', permissionsPolicy(isDoor))
  response.headers.set('Referrer-Policy', 'same-origin')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  response.headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  if (isBehindTls()) response.headers.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`)
  return response
}

// Next reads this without running it. Each excluded name must end at a slash or at the end of the path, because a path such as `/v1x` is
// unknown, and Next renders its 404 page for it.
export const config = { matcher: ['/((?!(?:api|v1)(?:/|$)|_next/static/|(?:healthz|readyz|ingest/stripe)$).*)', '/api/auth/:path*'] }
