'use client'
/** The form for the shop's name and time zone. */
import { useState } from 'react'
import { useAnnounce } from '@/app/_components/announcer'
import { OriginalValues, Submit, TextField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { settingsCopy } from '@/app/copy/settings'
import { type ShopValues, save } from './actions'

const copy = settingsCopy.seller

/** @param timeZones the selectable IANA time zones */
export function SellerForm({ timeZones, ...current }: ShopValues & { timeZones: string[] }) {
  const announce = useAnnounce()
  // The fields keep their values when the page re-renders, so the original values change only when the form is saved.
  const [original, setOriginal] = useState<ShopValues>(current)
  // The default values never change. Otherwise, a `TextField` would replace input that equals its previous default with the new default.
  const [initial] = useState(current)
  const { props, errors, pending } = useForm(save, (saved) => {
    setOriginal(saved)
    announce(copy.saved)
  })
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <OriginalValues values={original} />
      <TextField
        label={copy.name}
        error={errors.name}
        name="name"
        defaultValue={initial.name}
        maxLength={200}
        autoComplete="organization"
      />
      <TextField
        label={copy.timeZone}
        hint={copy.timeZoneHint}
        error={errors.timeZone}
        name="timeZone"
        defaultValue={initial.timeZone}
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
