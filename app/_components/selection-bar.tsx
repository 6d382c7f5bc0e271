'use client'
/** The bulk action bar: shows the sum of the selected rows, exports them, and copies their emails or IDs. */
import { useState } from 'react'
import { selectionCopy as copy } from '@/app/copy/selection'
import { formatMoney } from '@/lib/core/money'
import { copyText } from './copy-text'

/**
 * `amount` and `due`, the outstanding part of an order's amount, are in minor units. `email`, `amount` and `due` are empty strings for rows
 * without a value.
 */
export type SelectedRecord = { id: string; email: string; amount: string; due: string; currency: string; isTest: boolean }

type Props = { selected: SelectedRecord[]; clear: () => void; exportPath: string; one: string; many: string }

/**
 * Returns the sum of the amounts in each currency, such as `€12.50`. As below the table, the amount received is appended if it differs and
 * all orders are at least partly paid. Test records count only if nothing else is selected; the last item says how many are excluded.
 */
export function formatSums(selected: Omit<SelectedRecord, 'id' | 'email'>[], one: string, many: string): string[] {
  const withAmount = selected.filter(({ amount }) => amount !== '')
  const live = withAmount.filter(({ isTest }) => !isTest)
  const countedRecords = selected.every(({ isTest }) => isTest) ? withAmount : live
  const areAllPaid = countedRecords.every(({ due }) => due !== '')
  const sums = new Map<string, { amount: number; due: number }>()
  for (const { amount, due, currency } of countedRecords) {
    const sum = sums.get(currency) ?? { amount: 0, due: 0 }
    sums.set(currency, { amount: sum.amount + Number(amount), due: sum.due + Number(due) })
  }
  const texts = [...sums].map(([currency, { amount, due }]) => {
    const format = (money: number) => formatMoney(money, currency || undefined)
    return areAllPaid && due !== 0 ? copy.received(format(amount), format(amount - due)) : format(amount)
  })
  const excluded = withAmount.length - countedRecords.length
  return excluded > 0 ? [...texts, copy.excluding(excluded, one, many)] : texts
}

/**
 * Returns the path for exporting the selected rows. Omits the table's filters, because a row might no longer match them. Keeps the sort
 * order, and the currency if it is needed to sort by amount.
 */
export function buildSelectedPath(exportPath: string, ids: string[]): string {
  const [path, query] = exportPath.split('?')
  const params = new URLSearchParams(query)
  const exportParams = new URLSearchParams()
  for (const name of params.get('sort')?.endsWith('amount') ? ['sort', 'currency'] : ['sort']) {
    const value = params.get(name)
    if (value !== null) exportParams.set(name, value)
  }
  return `${path}?${exportParams.size > 0 ? `${exportParams}&` : ''}ids=${ids.join()}`
}

export default function SelectionBar({ selected, clear, exportPath, one, many }: Props) {
  const [message, setMessage] = useState('')
  const emails = [...new Set(selected.flatMap(({ email }) => email || []))]
  const copyLines = async (lines: string[]) => setMessage((await copyText(lines.join('\n'))) ? copy.copied : copy.failed)
  const ids = selected.map(({ id }) => id)
  return (
    <section
      aria-label={copy.label}
      // Above the tabs at the bottom of small screens, and next to the drawer if it is open.
      className="mx-auto mt-2 flex w-fit flex-wrap items-center gap-2 rounded-lg border border-line bg-card p-2 pl-4 text-sm shadow-lg max-lg:sticky max-lg:bottom-16 max-lg:z-[2] lg:[body:has([data-peek])_&]:mr-118"
    >
      <span title={copy.sumHint} className="mr-2 tabular-nums">
        {[copy.selected(selected.length), ...formatSums(selected, one, many)].join(' · ')}
      </span>
      <a id="export-selected" className="button" href={buildSelectedPath(exportPath, ids)} download>
        {copy.export}
      </a>
      {emails.length > 0 ? (
        <button type="button" className="button" onClick={() => copyLines(emails)}>
          {copy.copyEmails}
        </button>
      ) : null}
      <button type="button" className="button" onClick={() => copyLines(ids)}>
        {copy.copyIds}
      </button>
      <button type="button" className="button" onClick={clear}>
        {copy.clear}
      </button>
      <span role="status" className="text-quiet empty:hidden">
        {message}
      </span>
    </section>
  )
}
