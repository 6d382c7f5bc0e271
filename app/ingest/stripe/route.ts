/** POST /ingest/stripe: receives events from a seller's Stripe account. */
import { ingestRoute } from '@/lib/http/stripe-webhook'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = ingestRoute
