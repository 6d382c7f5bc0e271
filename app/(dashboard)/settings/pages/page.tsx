/** The shop's pages: its events and products, each with the rule of its door. */
import type { Metadata } from 'next'
import { CopyButton } from '@/app/_components/copy-button'
import { settingsWords } from '@/app/copy/settings'
import { words as shopWords } from '@/app/copy/shop'
import { requirePerson } from '@/app/session'
import { listPages } from '@/lib/accounts/pages'
import { ActionsCell, Area, Cell, Empty, Row, Table } from '../_parts/area'
import { AddPage, ChangePage } from './page-box'

const words = settingsWords.pages

export const metadata: Metadata = { title: `${settingsWords.areas.pages} · ${shopWords.name}` }

export default async function PagesPage() {
  const { sellerId } = await requirePerson('settings', '/settings/pages')
  const pages = await listPages(sellerId)
  const { columns } = words
  return (
    <Area title={settingsWords.areas.pages} hint={words.hint} action={<AddPage />}>
      {pages.length > 0 ? (
        <Table caption={settingsWords.areas.pages} heads={Object.values(columns)} actions={settingsWords.actions}>
          {pages.map((page) => (
            <Row key={page.id}>
              <Cell label={columns.name}>
                <span className="font-medium">{page.name}</span>
              </Cell>
              <Cell label={columns.policy}>{settingsWords.policies[page.entryPolicy].name}</Cell>
              <Cell label={columns.id}>
                <span className="inline-flex items-center gap-2 font-mono text-[0.8125rem]">
                  {page.id}
                  <CopyButton text={page.id} what={words.idOf(page.name)} />
                </span>
              </Cell>
              <ActionsCell>
                <ChangePage page={page} />
              </ActionsCell>
            </Row>
          ))}
        </Table>
      ) : (
        <Empty title={words.none} hint={words.noneHint} />
      )}
    </Area>
  )
}
