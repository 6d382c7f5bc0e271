'use client'
/** The selected rows of a table. The bulk action bar is loaded when the first row is selected. */
import { useEffect, useState } from 'react'
import { loadOrWarn, onDemand } from './on-demand'
import type { SelectedRecord } from './selection-bar'

const SelectionBar = onDemand(() => import('./selection-bar').then((module) => module.default))

/** `one` and `many` are the singular and plural names of the table's records. */
type Props = { exportPath: string; one: string; many: string }

const findCheckboxes = () => [...document.querySelectorAll<HTMLInputElement>('input[data-select]')]
const readSelected = (): SelectedRecord[] =>
  findCheckboxes().flatMap(({ checked, dataset: { select: id, email = '', amount = '', due = '', currency = '', test } }) =>
    checked && id ? [{ id, email, amount, due, currency, isTest: test !== undefined }] : [],
  )

/** Updates the checkbox in the header, whose state the browser keeps when the rows change. */
function updateSelectAll() {
  const selectAll = document.querySelector<HTMLInputElement>('input[data-select-all]')
  if (!selectAll) return
  const [all, count] = [findCheckboxes().length, readSelected().length]
  selectAll.checked = count > 0 && count === all
  selectAll.indeterminate = count > 0 && count < all
}

/** Reads the selection from the checkboxes, which the server renders. */
export function Selection(props: Props) {
  const [selected, setSelected] = useState<SelectedRecord[]>([])
  useEffect(() => {
    const update = async () => {
      if (!readSelected()[0] || (await loadOrWarn(SelectionBar.load))) setSelected(readSelected())
    }
    // The browser may have restored checked boxes.
    void update()
    const onChange = ({ target }: Event) => {
      // Only form controls fire this event.
      const { checked, dataset } = target as HTMLInputElement
      if ('selectAll' in dataset) for (const box of findCheckboxes()) box.checked = checked
      else if (!('select' in dataset)) return
      updateSelectAll()
      void update()
    }
    document.addEventListener('change', onChange)
    return () => document.removeEventListener('change', onChange)
  }, [])
  // Without dependencies, because the rows may change whenever the server re-renders the page.
  useEffect(() => {
    updateSelectAll()
    // Selected rows may have changed or disappeared. The first one is added by `update`, once the bar's code is loaded.
    const current = readSelected()
    if (selected[0] && JSON.stringify(current) !== JSON.stringify(selected)) setSelected(current)
  })
  if (!selected[0]) return null
  const clear = () => {
    for (const box of findCheckboxes()) box.checked = false
    setSelected([])
  }
  return <SelectionBar {...props} selected={selected} clear={clear} />
}
