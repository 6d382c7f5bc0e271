'use client'
/** The form for the shop's name and time zone. */
import { Submit, TextField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { settingsCopy } from '@/app/copy/settings'
import { useAnnounce } from '../_parts/announcer'
import { save } from './actions'

const copy = settingsCopy.seller

/** @param timeZones the selectable IANA time zones */
export function SellerForm({ name, timeZone, timeZones }: { name: string; timeZone: string; timeZones: string[] }) {
  const announce = useAnnounce()
  const { props, errors, pending } = useForm(save, () => announce(copy.saved))
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <TextField label={copy.name} error={errors.name} name="name" defaultValue={name} maxLength={200} autoComplete="organization" />
      <TextField
        label={copy.timeZone}
        hint={copy.timeZoneHint}
        error={errors.timeZone}
        name="timeZone"
        defaultValue={timeZone}
        list="time-zones"
        spellCheck={false}
      />
      <datalist id="time-zones">
        {timeZones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
    </form>
  )
}
