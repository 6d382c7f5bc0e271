/** Settings page: products and events. */
import type { Metadata } from 'next'
import { CopyButton } from '@/app/_components/copy-button'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { formatCount } from '@/app/copy/format'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { AddCheckoutPage, EditCheckoutPage } from './page-dialogs'

const copy = settingsCopy.pages

export const metadata: Metadata = { title: settingsCopy.areas.pages }

export default async function PagesPage() {
  const { sellerId, timeZone } = await requireUser('settings', '/settings/pages')
  const pages = await listCheckoutPages(sellerId)
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
              <Cell label={columns.startsAt}>{page.startsAt ? <Timestamp at={page.startsAt} timeZone={timeZone} /> : null}</Cell>
              <Cell label={columns.capacity}>{page.capacity === null ? null : formatCount(page.capacity)}</Cell>
              <Cell label={columns.id}>
                <span className="inline-flex items-center gap-2 font-mono text-[0.8125rem]">
                  {page.id}
                  <CopyButton text={page.id} name={copy.idOf(page.name)} />
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
