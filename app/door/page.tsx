/** The check-in page. Designed for phones, poor lighting and long lines. */
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { ThemeChoice } from '@/app/_components/theme-choice'
import { doorCopy } from '@/app/copy/door'
import { shopCopy } from '@/app/copy/shop'
import { currentUser, requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import { countEvents } from '@/lib/admission/event-counts'
import { countTurnout } from '@/lib/admission/turnout'
import { Door } from './door'
import { type DoorCaller, getBrowserState, hasEndedDevice, needsSession, readDevice, toDeviceCaller, toPageCaller } from './door-caller'
import { listChoices } from './door-events'
import { EndedDevice } from './ended-device'
import { PAGE_SELLER } from './page-seller'
import type { BrowserState } from './use-offline'

export const metadata: Metadata = {
  title: doorCopy.title,
  manifest: '/door/manifest.webmanifest',
  icons: { icon: '/icon.svg', apple: '/door-icon-180.png' },
}

export default async function CheckInPage() {
  const cookies = (await headers()).get('cookie')
  const [user, device] = await Promise.all([currentUser(), readDevice(cookies)])
  if (!user && device && !needsSession(device)) {
    return (
      <DoorWithCounts
        caller={toDeviceCaller(device)}
        sellerName={device.sellerName}
        timeZone={device.timeZone}
        browser={getBrowserState(device, device.sellerId)}
      />
    )
  }
  const hasEnded = !device && (await hasEndedDevice(cookies))
  if (!user && hasEnded) return <EndedDevice />
  const { sellerName, ...rest } = await requireUser('door', '/door')
  return (
    <DoorWithCounts
      caller={toPageCaller({ sellerName, ...rest }, device)}
      sellerName={sellerName}
      timeZone={rest.timeZone}
      browser={hasEnded ? 'ended' : getBrowserState(device, rest.sellerId)}
      browserName={device && needsSession(device) && device.sellerId === rest.sellerId ? device.name : undefined}
    >
      {/* A plain link, which loads a new document: a client-side navigation would keep this page's Permissions-Policy, which allows the camera. */}
      <a
        href={mayUse(rest.role, 'records') ? '/overview' : '/settings/password'}
        className="flex min-h-16 items-center border-line border-b"
      >
        {mayUse(rest.role, 'records') ? shopCopy.dashboard : shopCopy.myPassword}
      </a>
    </DoorWithCounts>
  )
}

type Props = {
  caller: DoorCaller
  sellerName: string
  timeZone: string
  browser: BrowserState
  browserName?: string | undefined
  children?: ReactNode
}

/** Loads the caller's events with their counts, and the turnout of the event that is selected initially. */
async function DoorWithCounts({
  caller: { sellerId, pageIds, rights, deviceName },
  sellerName,
  timeZone,
  browser,
  browserName,
  children,
}: Props) {
  const [all, counts] = await Promise.all([listCheckoutPages(sellerId), countEvents(sellerId)])
  const countsByPage = new Map(counts.map((count) => [count.pageId, count]))
  const events = all
    .filter(({ id }) => !pageIds || pageIds.includes(id))
    .map(({ id, name, startsAt, endsAt, capacity }) => {
      const { attended = 0, inside = 0, sold = 0 } = countsByPage.get(id) ?? {}
      return { id, name, startsAt, endsAt, capacity, attended, inside, sold }
    })
  // If the choice is limited to certain events, the first event on the start screen is preselected.
  const [first] = listChoices(events, { timeZone, allowsAll: !pageIds, pageId: '' })
  const pageId = pageIds && (first?.id ?? pageIds[0])
  const turnout = await countTurnout(sellerId, pageId)
  return (
    <>
      <meta name={PAGE_SELLER} content={sellerId} />
      <Door
        sellerId={sellerId}
        sellerName={sellerName}
        counts={{ initial: { turnout, at: Date.now() }, firstPageId: pageId ?? '', events }}
        timeZone={timeZone}
        maySearch={rights.includes('search')}
        mayUndo={rights.includes('undo')}
        mayCheckOut={rights.includes('checkout')}
        deviceName={deviceName}
        browser={browser}
        browserName={browserName}
        account={
          <>
            <div className="flex min-h-16 items-center justify-between border-line border-b">
              {doorCopy.theme}
              <ThemeChoice variant="large" />
            </div>
            {children}
          </>
        }
      />
    </>
  )
}
