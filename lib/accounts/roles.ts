/** User roles, and the rights that each role has. */

export const ROLES = ['owner', 'staff', 'door'] as const
export type Role = (typeof ROLES)[number]

/**
 * - `records`: the overview, the records and the check-in devices
 * - `door`: check-in
 * - `settings`: the shop's settings, except the check-in devices
 * - `account`: the user's own account settings, such as the password
 */
export type Right = 'records' | 'door' | 'settings' | 'account'

const RIGHTS: Record<Role, readonly Right[]> = {
  owner: ['records', 'door', 'settings', 'account'],
  staff: ['records', 'door', 'account'],
  door: ['door', 'account'],
}

/** Returns whether a role has a right. */
export const mayUse = (role: Role, right: Right) => RIGHTS[role].includes(right)
