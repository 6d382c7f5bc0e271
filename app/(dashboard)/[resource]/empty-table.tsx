/** The notice that replaces a table without records. It says where the records can come from. */
import { Link } from '@/app/_components/link'
import { Notice } from '@/app/_components/notice'
import { listCopy } from '@/app/copy/list'
import type { TableName } from '@/lib/accounts/preferences'
import { mayUse } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import { ImportCommand } from './import-command'

/** The tables whose records cannot come from Stripe. */
const NOT_FROM_STRIPE: readonly TableName[] = ['bookings', 'tickets']

/** @param plural the name of the records in a sentence, such as "payments" */
export function EmptyTable({ name, plural, user }: { name: TableName; plural: string; user: Pick<SessionUser, 'role' | 'sellerId'> }) {
  const canComeFromStripe = !NOT_FROM_STRIPE.includes(name)
  return (
    <Notice title={listCopy.nothingYet(plural)} hint={listCopy.nothingYetHint(plural, canComeFromStripe)}>
      {mayUse(user.role, 'settings') ? (
        <>
          {canComeFromStripe ? (
            <Link className="button-primary" href="/settings/stripe">
              {listCopy.connectStripe}
            </Link>
          ) : null}
          <ImportCommand table={name} sellerId={user.sellerId} />
        </>
      ) : null}
    </Notice>
  )
}
