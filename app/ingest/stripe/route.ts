/** POST /ingest/stripe: events of a seller's own Stripe account. */
import { ingestRoute } from '@/lib/ingest/receive'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = ingestRoute
