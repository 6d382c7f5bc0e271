'use client'
/** Acts on the selected rows: shows their sum, exports them, or copies their emails or IDs. */
import { useState } from 'react'
import type { SelectionCopy } from '@/app/copy/list'
import { formatMoney } from '@/lib/core/money'
import { copyText } from './copy-text'

/** `amount` is in minor units. `email` and `amount` are empty strings for rows without a value. */
export type SelectedRecord = { id: string; email: string; amount: string; currency: string }

type Props = { selected: SelectedRecord[]; clear: () => void; exportPath: string; copy: SelectionCopy }

/** Returns the sum of the amounts in each currency, such as `€12.50`. */
function formatSums(selected: SelectedRecord[]): string[] {
  const sums = new Map<string, number>()
  for (const { amount, currency } of selected) if (amount) sums.set(currency, (sums.get(currency) ?? 0) + Number(amount))
  return [...sums].map(([currency, amount]) => formatMoney(amount, currency || undefined))
}

export default function SelectionBar({ selected, clear, exportPath, copy }: Props) {
  const [message, setMessage] = useState('')
  const emails = [...new Set(selected.flatMap(({ email }) => email || []))]
  const copyLines = async (lines: string[]) => setMessage((await copyText(lines.join('\n'))) ? copy.copied : copy.failed)
  const separator = exportPath.includes('?') ? '&' : '?'
  return (
    <section
      aria-label={copy.label}
      // Next to the sidebar, and next to the drawer if it is open.
      className="fixed inset-x-4 bottom-4 z-10 mx-auto flex w-fit flex-wrap items-center gap-2 rounded-lg border border-line bg-card p-2 pl-4 text-sm shadow-lg max-lg:bottom-20 lg:left-60 lg:[body:has([data-peek])_&]:right-124 collapsed:left-18"
    >
      <span title={copy.sumHint} className="mr-2 tabular-nums">
        {[`${selected.length} ${copy.selected}`, ...formatSums(selected)].join(' · ')}
      </span>
      <a id="export-selected" className="button" href={`${exportPath}${separator}ids=${selected.map(({ id }) => id).join(',')}`} download>
        {copy.export}
      </a>
      {emails.length > 0 ? (
        <button type="button" className="button" onClick={() => copyLines(emails)}>
          {copy.copyEmails}
        </button>
      ) : null}
      <button type="button" className="button" onClick={() => copyLines(selected.map(({ id }) => id))}>
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
