/** The button that changes the row height. It submits a form, so that it works without JavaScript. */

import { listCopy } from '../copy/list'
import { changeDensity } from '../preferences-actions'
import { Icon } from './icon'
import type { Density } from './preferences'

export function DensityChoice({ density }: { density: Density }) {
  return (
    <form action={changeDensity} className="max-sm:hidden">
      <button type="submit" className="menu-row">
        <Icon name="rows" />
        {listCopy.density[density]}
      </button>
    </form>
  )
}
