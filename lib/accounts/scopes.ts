/** What a key may do. */

// Spec silent: a key's scopes.
export const SCOPES = [
  'full',
  'subscriptions:read',
  'coupons:read',
  'payments:read',
  'bookings:read',
  'tickets:validate',
  'secrets:read',
] as const

export type Scope = (typeof SCOPES)[number]

export const isScope = (name: string): name is Scope => (SCOPES as readonly string[]).includes(name)

/** `full` has every scope. */
export const hasScope = (scopes: readonly string[], scope: Scope) => scopes.includes('full') || scopes.includes(scope)
