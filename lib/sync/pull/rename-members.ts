/** Renames members whose names contain the payment provider's name: `stripeChargeId` becomes `gatewayChargeId`. */

/** The maps whose keys come from customers and are not renamed. */
const FREE_MAPS = new Set(['queryParameters'])

const toGatewayName = (name: string) => name.replace(/stripe/g, 'gateway').replace(/Stripe/g, 'Gateway')

/** Returns a copy with renamed members. If a record has both names, the `gateway` name takes precedence. */
export function renameMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameMembers)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const gatewayName = toGatewayName(name)
    if (gatewayName !== name && Object.hasOwn(value, gatewayName)) continue
    copy[gatewayName] = FREE_MAPS.has(gatewayName) ? member : renameMembers(member)
  }
  return copy
}
