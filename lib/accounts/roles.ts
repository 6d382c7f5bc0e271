/** The roles of users and their rights. */

export const ROLES = ['owner', 'staff', 'door'] as const
export type Role = (typeof ROLES)[number]

/**
 * `records` covers the overview, the records and the check-in devices; `door`, check-in; `settings`, the shop's other settings; and
 * `account`, the user's own account, such as their password.
 */
export type Right = 'records' | 'door' | 'settings' | 'account'

const RIGHTS: Record<Role, readonly Right[]> = {
  owner: ['records', 'door', 'settings', 'account'],
  staff: ['records', 'door', 'account'],
  door: ['door', 'account'],
}

/** Returns whether users with a role have a right. */
export const mayUse = (role: Role, right: Right) => RIGHTS[role].includes(right)
