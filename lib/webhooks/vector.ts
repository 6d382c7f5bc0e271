/** Provides a test vector: a signed delivery and its secret, for testing a verifier. It is the example in the API reference. */
import { coupons } from '../catalog/coupons'
import { EXAMPLE_SECRET } from '../catalog/webhook-endpoint'
import { signMessage } from './sign'

const event = {
  id: 'evt_6b01e0a85a117e0002000802',
  type: 'coupon.created',
  createdAt: '2026-11-21T19:30:00.012Z',
  data: JSON.stringify(coupons.example),
}

export const VECTOR = { secret: EXAMPLE_SECRET, ...signMessage(event, [EXAMPLE_SECRET], new Date('2026-11-21T19:30:01Z')) }

/** The delivery as an HTTP request. */
export const VECTOR_REQUEST = `POST /hook HTTP/1.1
${Object.entries(VECTOR.headers)
  .map(([name, value]) => `${name}: ${value}`)
  .join('\n')}

${VECTOR.body}`
