'use client'
/** The shop's name and time zone. */
import { Field, Submit, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import { useTell } from '../_parts/teller'
import { save } from './actions'

const words = settingsWords.seller

/** @param timeZones every IANA name to choose from */
export function SellerForm({ name, timeZone, timeZones }: { name: string; timeZone: string; timeZones: string[] }) {
  const tell = useTell()
  const { props, complaints, pending } = useForm(save, () => tell(words.saved))
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <Field label={words.name} complaint={complaints.name}>
        {(ties) => <input {...ties} className="field" name="name" defaultValue={name} maxLength={200} autoComplete="organization" />}
      </Field>
      <Field label={words.timeZone} hint={words.timeZoneHint} complaint={complaints.timeZone}>
        {(ties) => (
          <input
            {...ties}
            className="field"
            name="timeZone"
            defaultValue={timeZone}
            list="time-zones"
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <datalist id="time-zones">
        {timeZones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Submit label={settingsWords.save} pendingLabel={settingsWords.saving} pending={pending} complaints={complaints} />
    </form>
  )
}
