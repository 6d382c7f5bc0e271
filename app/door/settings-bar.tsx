/** Which event this door is for, and what the device is called. */
import type { Page } from '@/lib/accounts/pages'
import { doorWords } from '../copy/door'
import type { Settings } from './use-settings'

type Props = { pages: Page[]; settings: Settings; change: (part: Partial<Settings>) => void; onDone: () => void }

/** @param onDone called on Enter in the device's name: what comes next is a scan */
export function SettingsBar({ pages, settings, change, onDone }: Props) {
  return (
    <div className="grid grid-cols-2 gap-2">
      <select
        className="field min-w-0"
        aria-label={doorWords.event}
        value={settings.pageId}
        onChange={(event) => change({ pageId: event.target.value })}
      >
        <option value="">{doorWords.anyEvent}</option>
        {pages.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <input
        className="field min-w-0"
        aria-label={doorWords.device}
        placeholder={doorWords.deviceHint}
        autoComplete="off"
        maxLength={64}
        value={settings.device}
        onChange={(event) => change({ device: event.target.value })}
        onKeyDown={({ key }) => key === 'Enter' && onDone()}
      />
    </div>
  )
}
