/** Settings page: products and events. */
import type { Metadata } from 'next'
import { formatInstant } from '@/app/_components/cells'
import { CopyButton } from '@/app/_components/copy-button'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { findSeller } from '@/lib/accounts/sellers'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table } from '../_parts/settings-section'
import { AddCheckoutPage, EditCheckoutPage } from './page-dialogs'

const copy = settingsCopy.pages

export const metadata: Metadata = { title: `${settingsCopy.areas.pages} · ${shopCopy.name}` }

export default async function PagesPage() {
  const { sellerId } = await requireUser('settings', '/settings/pages')
  const [pages, seller] = await Promise.all([listCheckoutPages(sellerId), findSeller(sellerId)])
  const { timeZone = 'UTC' } = seller ?? {}
  const { columns } = copy
  return (
    <SettingsSection title={settingsCopy.areas.pages} hint={copy.hint} action={<AddCheckoutPage timeZone={timeZone} />}>
      {pages.length > 0 ? (
        <Table caption={settingsCopy.areas.pages} headers={Object.values(columns)} actions={settingsCopy.actions}>
          {pages.map((page) => (
            <Row key={page.id}>
              <Cell label={columns.name}>
                <span className="font-medium">{page.name}</span>
              </Cell>
              <Cell label={columns.policy}>{settingsCopy.policies[page.entryPolicy].name}</Cell>
              <Cell label={columns.startsAt}>{page.startsAt ? formatInstant(page.startsAt, timeZone) : null}</Cell>
              <Cell label={columns.capacity}>{page.capacity?.toLocaleString('en')}</Cell>
              <Cell label={columns.id}>
                <span className="inline-flex items-center gap-2 font-mono text-[0.8125rem]">
                  {page.id}
                  <CopyButton text={page.id} what={copy.idOf(page.name)} />
                </span>
              </Cell>
              <ActionsCell>
                <EditCheckoutPage page={page} timeZone={timeZone} />
              </ActionsCell>
            </Row>
          ))}
        </Table>
      ) : (
        <EmptyState title={copy.none} hint={copy.noneHint} />
      )}
    </SettingsSection>
  )
}
