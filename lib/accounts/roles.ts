/** The roles of users and their rights. */

export const ROLES = ['owner', 'staff', 'door'] as const
export type Role = (typeof ROLES)[number]

/** `account` covers the user's own account, such as their password. */
export type Right = 'records' | 'door' | 'settings' | 'account'

const RIGHTS: Record<Role, readonly Right[]> = {
  owner: ['records', 'door', 'settings', 'account'],
  staff: ['records', 'door', 'account'],
  door: ['door', 'account'],
}

export const mayUse = (role: Role, right: Right) => RIGHTS[role].includes(right)
