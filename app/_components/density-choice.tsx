/**
 * The button that changes the row height. It submits a form, so that it works without JavaScript. Phones, where the row height is fixed,
 * instead have an option that shows the rows' checkboxes.
 */
import { listCopy } from '../copy/list'
import { changeDensity } from '../preferences-actions'
import { Icon } from './icon'
import type { Density } from './preferences'

export function DensityChoice({ density }: { density: Density }) {
  return (
    <>
      <form action={changeDensity} className="max-sm:hidden">
        <button type="submit" className="menu-row">
          <Icon name="rows" />
          {listCopy.density[density]}
        </button>
      </form>
      {/* The stylesheet reads the checkbox's state (`select-cell`). */}
      <label className="menu-row cursor-pointer sm:hidden">
        <input type="checkbox" data-select-rows />
        {listCopy.selectRows}
      </label>
    </>
  )
}
