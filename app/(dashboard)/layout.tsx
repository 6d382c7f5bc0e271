/** The dashboard layout: the navigation, notices and toasts around every page. Users without access to records see the page alone. */
import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { type ReactNode, Suspense } from 'react'
import { mayUse } from '@/lib/accounts/roles'
import { mustSetUpTwoFactor } from '@/lib/accounts/sessions'
import { ClientNavigation } from '../_components/client-navigation'
import { Frame } from '../_components/frame'
import { NavigationProgress } from '../_components/navigation-progress'
import { PageUser } from '../_components/page-user'
import { SIDEBAR_COOKIE } from '../_components/preferences'
import { RENDERED_AT } from '../_components/rendered-at'
import { Toasts } from '../_components/toasts'
import { shopCopy } from '../copy/shop'
import { currentUser } from '../session'
import { Header, Sidebar, TabBar } from './navigation'
import { NavigationIcon } from './navigation-icon'
import { PausedKeys } from './paused-keys'
import { SavedViews } from './saved-views'
import { UnhealthyWebhooks } from './unhealthy-webhooks'

/** Adds the time of rendering. Unlike the layout itself, its metadata is rendered with each page. */
export const generateMetadata = (): Metadata => ({ other: { [RENDERED_AT]: new Date().toISOString() } })

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // Each page checks access itself.
  if (!user) return children
  if (!mayUse(user.role, 'records')) return <PageUser userId={user.userId}>{children}</PageUser>
  const hasAccess = !mustSetUpTwoFactor(user)
  const isCollapsed = (await cookies()).has(SIDEBAR_COOKIE)
  return (
    <PageUser userId={user.userId}>
      <a href="#content" className="button sr-only z-20 focus:not-sr-only focus:absolute focus:top-2 focus:left-2">
        {shopCopy.skip}
      </a>
      <Frame
        isCollapsed={isCollapsed}
        icon={<NavigationIcon name="sidebar" />}
        header={<Header user={user} />}
        navigation={<Sidebar savedViews={hasAccess ? <SavedViews user={user} /> : null} />}
      >
        <Suspense>
          <NavigationProgress />
        </Suspense>
        {mayUse(user.role, 'settings') && hasAccess ? (
          <Suspense>
            <PausedKeys sellerId={user.sellerId} />
            <UnhealthyWebhooks sellerId={user.sellerId} />
          </Suspense>
        ) : null}
        <div id="content">{children}</div>
      </Frame>
      <TabBar />
      <Toasts />
      <ClientNavigation />
    </PageUser>
  )
}
