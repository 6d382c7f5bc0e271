/** The settings pages, in navigation order. */
import { settingsCopy } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'

type AreaName = keyof typeof settingsCopy.areas

/** The settings pages that each role can open. */
export const AREAS_BY_ROLE: Record<Role, AreaName[]> = {
  owner: Object.keys(settingsCopy.areas) as AreaName[],
  staff: ['devices', 'password', 'two-factor'],
  door: ['password', 'two-factor'],
}
