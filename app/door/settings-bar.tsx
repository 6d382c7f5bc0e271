/** The device settings: event and device name. */
import type { CheckoutPage } from '@/lib/accounts/checkout-pages'
import { doorCopy } from '../copy/door'
import type { Settings } from './use-settings'

type Props = {
  pages: CheckoutPage[]
  /** Whether all events can be selected. */
  allowsAll: boolean
  /** Whether the device has a fixed name. */
  hasName: boolean
  settings: Settings
  change: (part: Partial<Settings>) => void
  onDone: () => void
}

/** @param onDone called when the user presses Enter in the device name */
export function SettingsBar({ pages, allowsAll, hasName, settings, change, onDone }: Props) {
  return (
    <div className="grid grid-cols-2 gap-2">
      <select
        className="field min-w-0"
        aria-label={doorCopy.event}
        value={settings.pageId}
        onChange={(event) => change({ pageId: event.target.value })}
      >
        {allowsAll ? <option value="">{doorCopy.anyEvent}</option> : null}
        {pages.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {hasName ? null : (
        <input
          className="field min-w-0"
          aria-label={doorCopy.device}
          placeholder={doorCopy.deviceHint}
          autoComplete="off"
          maxLength={64}
          value={settings.device}
          onChange={(event) => change({ device: event.target.value })}
          onKeyDown={({ key }) => key === 'Enter' && onDone()}
        />
      )}
    </div>
  )
}
