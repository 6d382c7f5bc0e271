/** The settings layout: links to the pages that the user's role can open. */
import Link from 'next/link'
import type { ReactNode } from 'react'
import { NavigationLink } from '@/app/_components/navigation-link'
import { settingsCopy as copy } from '@/app/copy/settings'
import { currentUser } from '@/app/session'
import { mayUse, type Role } from '@/lib/accounts/roles'
import { Announcer } from './_parts/announcer'

type AreaName = keyof typeof copy.areas

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
const AREAS_OF: Record<Role, AreaName[]> = { owner: AREAS, staff: ['devices', 'password', 'two-factor'], door: ['password', 'two-factor'] }

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // Each page checks access itself.
  if (!user) return children
  return (
    <main className="mx-auto max-w-6xl px-4 py-5 sm:px-6">
      {mayUse(user.role, 'records') ? null : (
        <Link href="/door" className="text-quiet text-sm underline-offset-4 hover:underline">
          {copy.password.door}
        </Link>
      )}
      <h1 className="mb-3 font-semibold text-xl tracking-tight">{copy.title}</h1>
      <nav aria-label={copy.navigation} className="-mx-2 mb-1 flex gap-1 overflow-x-auto border-line border-b">
        {AREAS_OF[user.role].map((area) => (
          <NavigationLink key={area} href={`/settings/${area}`}>
            {copy.areas[area]}
          </NavigationLink>
        ))}
      </nav>
      <Announcer>{children}</Announcer>
    </main>
  )
}
