/** Signs webhooks according to Standard Webhooks 1.0 (https://www.standardwebhooks.com). */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const SECRET_BYTES = 32

/** Returns a new signing secret: `whsec_` and 32 random bytes in Base64. */
export const generateSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** An event to send. `createdAt` is in ISO 8601 format, and `data` is JSON. */
export type Message = { id: string; type: string; createdAt: string; data: string }

export type SignedMessage = { headers: Record<string, string>; body: string }

/** Returns the request body for an event. */
export const toBody = ({ type, createdAt, data }: Omit<Message, 'id'>): string =>
  `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},"data":${data}}`

/**
 * Returns the body and the headers of a delivery attempt.
 *
 * @param secrets the signing secrets: for a day after a rotation, the new one and the old one
 * @param now the time of the attempt
 */
export function signMessage({ id, ...event }: Message, secrets: readonly string[], now = new Date()): SignedMessage {
  const body = toBody(event)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Checkout-Desk-Webhooks/1.0',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
    },
  }
}
