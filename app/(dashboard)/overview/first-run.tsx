/** The overview of an empty shop: the steps for setting it up, or a notice for staff. */
import { Icon } from '@/app/_components/icon'
import { Notice } from '@/app/_components/notice'
import { overviewCopy } from '@/app/copy/overview'
import { listDevices } from '@/lib/accounts/check-in-devices'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { listInvitations } from '@/lib/accounts/invitations'
import { mayUse } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import { listTeam } from '@/lib/accounts/team'
import { hasAccount } from '@/lib/sync/stripe/account'
import { ImportCommand } from '../[resource]/import-command'

export async function FirstRun({ user: { sellerId, role } }: { user: SessionUser }) {
  const copy = overviewCopy.firstRun
  if (!mayUse(role, 'settings')) return <Notice title={copy.title} hint={copy.staff} />
  const [hasStripe, pages, team, invitations, devices] = await Promise.all([
    hasAccount(sellerId),
    listCheckoutPages(sellerId),
    listTeam(sellerId),
    listInvitations(sellerId),
    listDevices(sellerId),
  ])
  const steps = [
    { ...copy.stripe, href: '/settings/stripe', isDone: hasStripe },
    { ...copy.records, isDone: false },
    { ...copy.pages, href: '/settings/pages', isDone: pages.length > 0 },
    { ...copy.team, href: '/settings/team', isDone: team.length + invitations.length + devices.length > 1 },
  ]
  return (
    <section aria-labelledby="first-run" className="mx-auto mt-6 max-w-2xl rounded-lg border border-line bg-card p-5">
      <h2 id="first-run" className="font-semibold text-lg tracking-tight">
        {copy.title}
      </h2>
      <p className="mb-3 text-quiet text-sm">{copy.hint}</p>
      <ol>
        {steps.map(({ title, hint, isDone, ...step }, index) => (
          <li key={title} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-t py-3">
            <span
              aria-hidden
              className={`grid size-7 shrink-0 place-items-center rounded-full text-sm ${isDone ? 'bg-good-soft text-good' : 'bg-neutral-soft text-quiet'}`}
            >
              {isDone ? <Icon name="check" /> : index + 1}
            </span>
            <span className="min-w-0 grow basis-60">
              <span className="block font-medium">{title}</span>
              <span className="block text-quiet text-sm">{hint}</span>
            </span>
            {isDone ? (
              <span className="text-good text-sm">{copy.done}</span>
            ) : 'href' in step ? (
              <a href={step.href} className="button">
                {step.action}
              </a>
            ) : (
              <ImportCommand table="payments" sellerId={sellerId} />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
