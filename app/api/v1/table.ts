/** The route tree as a table, for `server.ts`; a test holds it against the folders. */
import type { RouteTable } from '@/lib/http/router'
import * as health from '../../healthz/route'
import * as ingestStripe from '../../ingest/stripe/route'
import * as metrics from '../../metrics/route'
import * as ready from '../../readyz/route'
import * as bookings from './bookings/route'
import * as coupons from './coupons/route'
import * as openApi from './openapi.json/route'
import * as payments from './payments/route'
import * as subscriptions from './subscriptions/route'
import * as validateTicket from './tickets/validate/[qrCode]/route'

export const table: RouteTable = [
  { pattern: '/v1/subscriptions', route: subscriptions },
  { pattern: '/v1/coupons', route: coupons },
  { pattern: '/v1/payments', route: payments },
  { pattern: '/v1/bookings', route: bookings },
  { pattern: '/v1/tickets/validate/:qrCode', route: validateTicket },
  { pattern: '/v1/openapi.json', route: openApi },
  { pattern: '/healthz', route: health },
  { pattern: '/readyz', route: ready },
  { pattern: '/metrics', route: metrics },
  { pattern: '/ingest/stripe', route: ingestStripe },
]

export * as otherwise from './[[...path]]/route'
