/** POST /ingest/stripe: events of a seller's own Stripe account. */
import { ingestRoute } from '@/lib/http/stripe-webhook'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = ingestRoute
