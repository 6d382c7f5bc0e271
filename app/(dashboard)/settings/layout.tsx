/** The settings layout: a second sidebar column with links to the pages that the user's role can open. */
import type { ReactNode } from 'react'
import { Announcer } from '@/app/_components/announcer'
import { Link } from '@/app/_components/link'
import { NavigationLink } from '@/app/_components/navigation-link'
import { settingsCopy as copy } from '@/app/copy/settings'
import { currentUser } from '@/app/session'
import { mayUse } from '@/lib/accounts/roles'
import { AREAS_BY_ROLE } from './areas'

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // Each page checks access itself.
  if (!user) return children
  return (
    <div className="lg:flex">
      <nav
        aria-label={copy.navigation}
        className="flex gap-1 overflow-x-auto border-line bg-card p-2 text-sm max-lg:border-b lg:sticky lg:top-0 lg:h-dvh lg:w-52 lg:shrink-0 lg:flex-col lg:gap-0.5 lg:overflow-y-auto lg:border-r print:hidden"
      >
        <h1 className="px-2 pt-1 pb-2 font-semibold text-base tracking-tight max-lg:sr-only">{copy.title}</h1>
        {AREAS_BY_ROLE[user.role].map((area) => (
          <NavigationLink key={area} href={`/settings/${area}`} className="nav-row">
            {copy.areas[area]}
          </NavigationLink>
        ))}
      </nav>
      <main className="min-w-0 max-w-6xl grow px-4 py-5 lg:px-6">
        {/* The message is displayed in the padding above the page. */}
        <Announcer className="-mt-4 mb-1 min-h-5">
          {mayUse(user.role, 'records') ? null : (
            <Link href="/door" className="text-quiet text-sm underline-offset-4 hover:underline">
              {copy.password.door}
            </Link>
          )}
          {children}
        </Announcer>
      </main>
    </div>
  )
}
