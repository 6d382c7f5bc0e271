/** The check-in page. Designed for phones, poor lighting and long lines. */
import type { Metadata } from 'next'
import { SignOut } from '@/app/_components/sign-out'
import { ThemeChoice } from '@/app/_components/theme-choice'
import { doorCopy } from '@/app/copy/door'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import { countTurnout } from '@/lib/admission/turnout'
import { Door } from './door'
import { UNDO } from './door-request'

export const metadata: Metadata = { title: `${doorCopy.title} · ${shopCopy.name}` }

export default async function CheckInPage() {
  const user = await requireUser('door', '/door')
  const [pages, turnout] = await Promise.all([listCheckoutPages(user.sellerId), countTurnout(user.sellerId, undefined)])
  return (
    <div className="mx-auto flex min-h-dvh max-w-2xl flex-col px-4 py-3 lg:max-w-6xl">
      <header className="mb-3 flex items-center gap-4">
        <h1 className="font-semibold tracking-tight">{doorCopy.title}</h1>
        <span className="truncate text-quiet text-sm">{user.sellerName}</span>
        {/* Full page loads: only this page's permissions policy allows the camera. */}
        {mayUse(user.role, 'records') ? (
          <a href="/overview" className="ml-auto whitespace-nowrap text-quiet text-sm underline-offset-4 hover:underline">
            {shopCopy.dashboard}
          </a>
        ) : (
          <a href="/settings/password" className="ml-auto whitespace-nowrap text-quiet text-sm underline-offset-4 hover:underline">
            {shopCopy.myPassword}
          </a>
        )}
        <ThemeChoice />
        <SignOut />
      </header>
      <Door pages={pages} turnout={turnout} mayUndo={mayUse(user.role, UNDO)} />
    </div>
  )
}
