/** The settings pages, in navigation order. */
import type { settingsCopy } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'

type AreaName = keyof typeof settingsCopy.areas

const AREAS: AreaName[] = [
  'keys',
  'requests',
  'pages',
  'devices',
  'team',
  'seller',
  'stripe',
  'webhooks',
  'password',
  'two-factor',
  'audit',
]
/** The settings pages that each role can open. */
export const AREAS_BY_ROLE: Record<Role, AreaName[]> = {
  owner: AREAS,
  staff: ['devices', 'password', 'two-factor'],
  door: ['password', 'two-factor'],
}
