/** The dashboard layout: shop name, search, navigation and sign-out. */
import Link from 'next/link'
import { type ReactNode, Suspense } from 'react'
import { mayUse } from '@/lib/accounts/roles'
import { resources } from '@/lib/catalog'
import { tickets } from '@/lib/catalog/ticket'
import { NavigationLink } from '../_components/navigation-link'
import { Palette } from '../_components/palette'
import { SignOut } from '../_components/sign-out'
import { ThemeChoice } from '../_components/theme-choice'
import { doorCopy } from '../copy/door'
import { overviewCopy } from '../copy/overview'
import { shopCopy } from '../copy/shop'
import { currentUser, mustSetUpTwoFactor } from '../session'
import { PausedKeys } from './paused-keys'
import { TroubledWebhooks } from './troubled-webhooks'

const lists = Object.values(resources).map(({ name, label }) => ({ name, title: label.many }))

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // Each page checks access itself.
  if (!user || !mayUse(user.role, 'records')) return children
  return (
    <div className="min-h-dvh">
      <a href="#content" className="button sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2">
        {shopCopy.skip}
      </a>
      <header className="border-line border-b bg-card">
        <div className="mx-auto flex max-w-7xl items-center gap-x-6 px-4 pt-3 sm:px-6">
          <Link href="/" className="font-semibold tracking-tight">
            {user.sellerName}
          </Link>
          <Palette lists={lists} settings={mayUse(user.role, 'settings')} />
          <span className="ml-auto hidden truncate text-quiet text-sm sm:block">{user.email}</span>
          <ThemeChoice className="ml-auto sm:ml-0" />
          <SignOut />
        </div>
        <nav aria-label={shopCopy.navigation} className="mx-auto mt-2 flex max-w-7xl gap-1 overflow-x-auto px-2 sm:px-4">
          <NavigationLink href="/overview">{overviewCopy.title}</NavigationLink>
          {lists.map(({ name, title }) => (
            <NavigationLink key={name} href={`/${name}`}>
              {title}
            </NavigationLink>
          ))}
          <NavigationLink href="/tickets">{tickets.label.many}</NavigationLink>
          <NavigationLink href="/door" whole>
            {doorCopy.title}
          </NavigationLink>
          <NavigationLink href="/settings">{shopCopy.settings}</NavigationLink>
        </nav>
      </header>
      {mayUse(user.role, 'settings') && !mustSetUpTwoFactor(user) ? (
        <Suspense>
          <PausedKeys sellerId={user.sellerId} />
          <TroubledWebhooks sellerId={user.sellerId} />
        </Suspense>
      ) : null}
      <div id="content">{children}</div>
    </div>
  )
}
