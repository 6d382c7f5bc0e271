'use client'
/** Acts on the rows whose checkboxes are checked: exports them, or copies their emails or IDs. */
import { useEffect, useState } from 'react'
import type { SelectionCopy } from '@/app/copy/list'
import { copyText } from './copy-text'

type Selected = { id: string; email: string | undefined }
/** `copy` is a prop, so that the browser does not load the texts of other pages. */
type Props = { exportPath: string; copy: SelectionCopy }

const boxes = () => [...document.querySelectorAll<HTMLInputElement>('input[data-select]')]
const readSelected = (): Selected[] =>
  boxes().flatMap(({ checked, dataset: { select, email } }) => (checked && select ? [{ id: select, email }] : []))

/** Returns the selected rows, and a function that clears the selection. The checkboxes are the only state. */
function useSelection(): [Selected[], () => void] {
  const [selected, setSelected] = useState<Selected[]>([])
  useEffect(() => {
    // A browser can restore checked boxes.
    setSelected(readSelected())
    const onChange = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement)) return
      if ('selectAll' in target.dataset) for (const box of boxes()) box.checked = target.checked
      else if (!('select' in target.dataset)) return
      setSelected(readSelected())
    }
    document.addEventListener('change', onChange)
    return () => document.removeEventListener('change', onChange)
  }, [])
  const clear = () => {
    for (const box of document.querySelectorAll<HTMLInputElement>('input[data-select], input[data-select-all]')) box.checked = false
    setSelected([])
  }
  return [selected, clear]
}

export function SelectionBar({ exportPath, copy }: Props) {
  const [selected, clear] = useSelection()
  const [said, setSaid] = useState('')
  if (selected.length === 0) return null
  const emails = [...new Set(selected.flatMap(({ email }) => email ?? []))]
  const copyLines = async (lines: string[]) => setSaid((await copyText(lines.join('\n'))) ? copy.copied : copy.failed)
  const separator = exportPath.includes('?') ? '&' : '?'
  return (
    <section
      aria-label={copy.label}
      className="fixed inset-x-0 bottom-4 z-10 mx-auto flex w-fit max-w-[calc(100vw-2rem)] flex-wrap items-center gap-2 rounded-lg border border-line bg-card p-2 pl-4 text-sm shadow-lg max-lg:bottom-20"
    >
      <span className="mr-2 tabular-nums">{`${selected.length} ${copy.selected}`}</span>
      <a className="button" href={`${exportPath}${separator}ids=${selected.map(({ id }) => id).join(',')}`} download>
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
        {said}
      </span>
    </section>
  )
}
