/** What a user may do, by role. */

export const ROLES = ['owner', 'staff', 'door'] as const
export type Role = (typeof ROLES)[number]

export const isRole = (name: string): name is Role => (ROLES as readonly string[]).includes(name)

export type Right = 'records' | 'door' | 'settings'

const RIGHTS: Record<Role, readonly Right[]> = {
  owner: ['records', 'door', 'settings'],
  staff: ['records', 'door'],
  door: ['door'],
}

export const mayUse = (role: Role, right: Right) => RIGHTS[role].includes(right)
