/** The button that changes the height of rows. A form, so that it works without JavaScript. */

import { listCopy } from '../copy/list'
import { changeDensity } from '../density-actions'
import type { Density } from './density'
import { Icon } from './icon'

export function DensityChoice({ density }: { density: Density }) {
  const label = listCopy.density[density]
  return (
    <form action={changeDensity} className="max-sm:hidden">
      <button type="submit" aria-label={label} title={label} className="button px-2.5">
        <Icon name="rows" />
      </button>
    </form>
  )
}
