/** The check-in page. Designed for phones, poor lighting and long lines. */
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { SignOut } from '@/app/_components/sign-out'
import { ThemeChoice } from '@/app/_components/theme-choice'
import { doorCopy } from '@/app/copy/door'
import { shopCopy } from '@/app/copy/shop'
import { currentUser, requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import { countTurnout } from '@/lib/admission/turnout'
import { Door } from './door'
import { callerOfDevice, callerOfUser, type DoorCaller, readDevice } from './door-caller'

export const metadata: Metadata = { title: `${doorCopy.title} · ${shopCopy.name}`, manifest: '/door/manifest.webmanifest' }

export default async function CheckInPage() {
  const device = (await currentUser()) ? undefined : await readDevice((await headers()).get('cookie'))
  if (device) {
    return (
      <Shell sellerName={device.sellerName} links={<span className="ml-auto truncate text-sm">{device.name}</span>}>
        <DoorOf caller={callerOfDevice(device)} />
      </Shell>
    )
  }
  const user = await requireUser('door', '/door')
  return (
    <Shell sellerName={user.sellerName} links={<UserLinks maySeeRecords={mayUse(user.role, 'records')} />}>
      <DoorOf caller={callerOfUser(user)} />
    </Shell>
  )
}

/** Loads the events of the caller and the turnout of the first one that is shown. */
async function DoorOf({ caller: { sellerId, pageIds, rights, deviceName } }: { caller: DoorCaller }) {
  const all = await listCheckoutPages(sellerId)
  const pages = pageIds ? all.filter(({ id }) => pageIds.includes(id)) : all
  const pageId = pageIds ? (pages[0]?.id ?? pageIds[0]) : undefined
  const turnout = await countTurnout(sellerId, pageId)
  return (
    <Door
      pages={pages}
      turnout={turnout}
      firstPageId={pageId ?? ''}
      maySearch={rights.includes('search')}
      mayUndo={rights.includes('undo')}
      hasName={deviceName !== undefined}
      worksOffline={rights.includes('offline')}
    />
  )
}

function Shell({ sellerName, links, children }: { sellerName: string; links: ReactNode; children: ReactNode }) {
  return (
    <div className="mx-auto flex min-h-dvh max-w-2xl flex-col px-4 py-3 lg:max-w-6xl">
      <header className="mb-3 flex items-center gap-4">
        <h1 className="font-semibold tracking-tight">{doorCopy.title}</h1>
        <span className="truncate text-quiet text-sm">{sellerName}</span>
        {links}
        <ThemeChoice />
      </header>
      {children}
    </div>
  )
}

function UserLinks({ maySeeRecords }: { maySeeRecords: boolean }) {
  return (
    <>
      {/* Full page loads: only this page's permissions policy allows the camera. */}
      <a
        href={maySeeRecords ? '/overview' : '/settings/password'}
        className="ml-auto whitespace-nowrap text-quiet text-sm underline-offset-4 hover:underline"
      >
        {maySeeRecords ? shopCopy.dashboard : shopCopy.myPassword}
      </a>
      <SignOut />
    </>
  )
}
