/**
 * The button for changing the row height. It submits a form, so that it works without JavaScript. On phones, where the row height is fixed,
 * there is an option to show the rows' checkboxes instead.
 */
import { listCopy } from '../copy/list'
import { saveDensity } from '../preferences-actions'
import { Icon } from './icon'
import { PreferenceForm } from './preference-form'
import type { Density } from './preferences'

export function DensityChoice({ density }: { density: Density }) {
  return (
    <>
      <div className="max-sm:hidden">
        <PreferenceForm action={saveDensity}>
          <button type="submit" name="density" value={density === 'compact' ? 'comfortable' : 'compact'} className="menu-row">
            <Icon name="rows" />
            {listCopy.density[density]}
          </button>
        </PreferenceForm>
      </div>
      {/* The stylesheet reads the checkbox's state (`select-cell`). */}
      <label className="menu-row cursor-pointer sm:hidden">
        <input type="checkbox" data-select-rows />
        {listCopy.selectRows}
      </label>
    </>
  )
}
