/** The dashboard's navigation: a header and a sidebar, or on phones and tablets a header, a tab bar and a menu. */
import type { ReactNode } from 'react'
import { devicesCopy } from '@/app/copy/devices'
import { keysCopy } from '@/app/copy/keys'
import { mayUse } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import { resources } from '@/lib/catalog'
import { tickets } from '@/lib/catalog/ticket'
import { NavigationLink } from '../_components/navigation-link'
import { Palette } from '../_components/palette'
import type { PaletteLink } from '../_components/palette-dialog'
import { Shortcuts } from '../_components/shortcuts'
import { SignOut } from '../_components/sign-out'
import { ThemeChoice } from '../_components/theme-choice'
import { conflictCopy } from '../copy/conflicts'
import { createCouponCopy } from '../copy/create-coupon'
import { doorCopy } from '../copy/door'
import { overviewCopy } from '../copy/overview'
import { refusalCopy } from '../copy/refusals'
import { settingsCopy } from '../copy/settings'
import { shopCopy } from '../copy/shop'
import { teamCopy } from '../copy/team'
import { webhooksCopy } from '../copy/webhooks'
import { NavigationIcon } from './navigation-icon'
import { AREAS_BY_ROLE } from './settings/areas'

const sortRank = (name: string) => Number(name === resources.coupons.name)
/** The lists in the catalog's order, with coupons last. */
const lists = Object.values(resources)
  .map(({ name, label }) => ({ name, title: label.many }))
  .sort((a, b) => sortRank(a.name) - sortRank(b.name))
const searchableLists = [...lists, { name: 'tickets', title: tickets.label.many }]

/** Lists the pages and actions that the palette can find. The fragment `#new` opens the dialog of a page's main button. */
function listPaletteLinks({ role }: SessionUser): PaletteLink[] {
  const isOwner = mayUse(role, 'settings')
  const main = [
    { href: '/overview', title: overviewCopy.title },
    ...searchableLists.map(({ name, title }) => ({ href: `/${name}`, title })),
    { href: '/door', title: doorCopy.title },
    ...(isOwner ? [{ href: '/settings', title: shopCopy.settings }] : []),
  ]
  const actions = [
    { href: '/coupons#new', title: createCouponCopy.label },
    { href: '/settings/devices#new', title: devicesCopy.create },
  ]
  const ownerActions = [
    { href: '/settings/keys#new', title: keysCopy.create },
    { href: '/settings/pages#new', title: settingsCopy.pages.add },
    { href: '/settings/team#new', title: teamCopy.invite },
    { href: '/settings/webhooks#new', title: webhooksCopy.create },
  ]
  return [
    ...main.map((link) => ({ ...link, isMain: true })),
    ...AREAS_BY_ROLE[role].map((area) => ({ href: `/settings/${area}`, title: settingsCopy.areas[area] })),
    { href: '/tickets/refused', title: refusalCopy.title },
    { href: '/settings/devices/conflicts', title: conflictCopy.title },
    { href: '/docs', title: shopCopy.docs },
    ...[...actions, ...(isOwner ? ownerActions : [])].map((link) => ({ ...link, isAction: true })),
  ]
}

const MENU_ID = 'navigation-menu'
const SHOP_MENU_ID = 'shop-menu'

/** The header: the button with the shop's name, which opens the user's menu, and the button for the command palette. */
export function Header({ user }: { user: SessionUser }) {
  return (
    <header className="flex shrink-0 items-center gap-2 max-lg:sticky max-lg:top-0 max-lg:z-10 max-lg:h-12 max-lg:border-line max-lg:border-b max-lg:bg-card max-lg:px-2 lg:flex-col lg:items-stretch lg:p-2 print:hidden">
      <button
        type="button"
        popoverTarget={SHOP_MENU_ID}
        title={user.sellerName}
        className="nav-row min-w-0 font-semibold text-ink max-lg:grow"
      >
        <span aria-hidden className="grid size-6 shrink-0 place-items-center rounded-md bg-accent text-on-accent text-xs collapsed:-mx-1">
          {[...user.sellerName.trim()][0]?.toUpperCase()}
        </span>
        <span className="min-w-0 truncate tracking-tight collapsed:sr-only">{user.sellerName}</span>
        <span className="ml-auto text-quiet collapsed:hidden">
          <NavigationIcon name="choose" />
        </span>
      </button>
      <div
        id={SHOP_MENU_ID}
        popover="auto"
        className="fixed top-13 left-2 m-0 w-60 rounded-xl border border-line bg-card p-1.5 text-ink text-sm shadow-xl"
      >
        <p className="truncate px-2.5 pt-1 pb-2 text-quiet">{user.email}</p>
        <ThemeChoice variant="row" />
        <Shortcuts className="nav-row w-full" label={shopCopy.shortcuts} />
        <NavigationLink href="/settings/password" className="nav-row">
          {shopCopy.myPassword}
        </NavigationLink>
        <SignOut className="nav-row w-full" />
      </div>
      <Palette lists={searchableLists} links={listPaletteLinks(user)} />
    </header>
  )
}

type ItemProps = {
  href: string
  /** The name of a `NavigationIcon`. */
  icon: string
  /** Whether the link loads a new document because the page is not part of the dashboard. */
  isFullLoad?: boolean
  children: string
}

const Item = ({ href, icon, isFullLoad = false, children }: ItemProps) => (
  <NavigationLink href={href} isFullLoad={isFullLoad} title={children} className="nav-row">
    <NavigationIcon name={icon} />
    <span className="truncate collapsed:sr-only">{children}</span>
    {isFullLoad ? (
      <span aria-hidden className="ml-auto text-quiet collapsed:hidden">
        ↗
      </span>
    ) : null}
  </NavigationLink>
)

export function Group({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div {...(title ? { role: 'group', 'aria-label': title } : {})} className="flex flex-col gap-0.5">
      {title ? (
        <p aria-hidden className="px-2 pb-1 font-medium text-quiet text-xs collapsed:hidden">
          {title}
        </p>
      ) : null}
      {children}
    </div>
  )
}

/**
 * The sidebar's links. On phones and tablets, the same element is a menu opened from the tab bar.
 *
 * @param savedViews links to saved views
 */
export function Sidebar({ savedViews }: { savedViews: ReactNode }) {
  return (
    <nav
      id={MENU_ID}
      popover="auto"
      aria-label={shopCopy.navigation}
      className="sidebar gap-4 overflow-y-auto bg-card p-2 text-ink text-sm max-lg:border-line max-lg:border-t max-lg:shadow-xl lg:pt-0 print:hidden"
    >
      <Group>
        <Item href="/overview" icon="overview">
          {overviewCopy.title}
        </Item>
      </Group>
      <Group title={shopCopy.sales}>
        {lists.map(({ name, title }) => (
          <Item key={name} href={`/${name}`} icon={name}>
            {title}
          </Item>
        ))}
      </Group>
      <Group title={shopCopy.events}>
        <Item href="/tickets" icon="tickets">
          {tickets.label.many}
        </Item>
        <Item href="/door" icon="door" isFullLoad>
          {doorCopy.title}
        </Item>
      </Group>
      {savedViews}
      <div className="mt-auto">
        <Group>
          <Item href="/docs" icon="docs" isFullLoad>
            {shopCopy.docs}
          </Item>
          <Item href="/settings" icon="settings">
            {shopCopy.settings}
          </Item>
        </Group>
      </div>
    </nav>
  )
}

const TAB_CLASSES =
  'flex min-w-0 grow basis-0 flex-col items-center justify-center gap-0.5 text-quiet text-xs aria-[current]:font-medium aria-[current]:text-accent'

/** The tab bar at the bottom of the screen on phones and tablets. */
export function TabBar() {
  return (
    <nav aria-label={shopCopy.tabs} className="fixed inset-x-0 bottom-0 z-10 flex h-14 border-line border-t bg-card lg:hidden print:hidden">
      {[
        { href: '/overview', icon: 'overview', title: overviewCopy.title },
        { href: '/payments', icon: 'payments', title: shopCopy.orders },
        { href: '/customers', icon: 'customers', title: resources.customers.label.many },
      ].map(({ href, icon, title }) => (
        <NavigationLink key={href} href={href} className={TAB_CLASSES}>
          <NavigationIcon name={icon} />
          {title}
        </NavigationLink>
      ))}
      <NavigationLink href="/door" isFullLoad className={TAB_CLASSES}>
        <NavigationIcon name="door" />
        {doorCopy.title}
      </NavigationLink>
      {/* Highlighted on pages without their own tab, because their links are in this menu. */}
      <button
        type="button"
        popoverTarget={MENU_ID}
        className={`${TAB_CLASSES} [nav:not(:has([aria-current]))>&]:font-medium [nav:not(:has([aria-current]))>&]:text-accent`}
      >
        <NavigationIcon name="more" />
        {shopCopy.more}
      </button>
    </nav>
  )
}
