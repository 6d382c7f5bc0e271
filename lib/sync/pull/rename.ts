/** Records of a service that names its payment provider, in our names: `stripeChargeId` is `gatewayChargeId`. */

/** The keys of this map are a customer's, not the service's. */
const FREE_MAPS = new Set(['queryParameters'])

const ours = (name: string) => name.replace(/stripe/g, 'gateway').replace(/Stripe/g, 'Gateway')

/** @returns a copy with every member under our name; where a record has both names, ours stands */
export function renameMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameMembers)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const own = ours(name)
    if (own !== name && Object.hasOwn(value, own)) continue
    copy[own] = FREE_MAPS.has(own) ? member : renameMembers(member)
  }
  return copy
}
