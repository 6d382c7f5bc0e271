'use client'
/** The dialog for adding a check-in device, which shows its setup link once, and the button for revoking a device. */
import { useState } from 'react'
import { ConfirmButton } from '@/app/_components/confirm-button'
import { Choice, Choices, Field, Submit, TextField, useForm } from '@/app/_components/form'
import { devicesCopy as copy } from '@/app/copy/devices'
import type { NamedPage } from '@/lib/accounts/checkout-pages'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import { type CreatedDevice, create, revoke } from './actions'

const RIGHTS = ['search', 'checkout', 'offline', 'names', 'undo'] as const
const DAYS = [1, 7, 30, 365] as const

/** @param events the events that a device can be limited to */
export function CreateDevice({ events }: { events: NamedPage[] }) {
  return (
    <SecretDialog<CreatedDevice>
      label={copy.create}
      isMain
      title={copy.create}
      secretTitle={copy.setUpTitle}
      form={(onCreated) => <DeviceForm events={events} onCreated={onCreated} />}
      successMessage={({ name }) => copy.created(name)}
    >
      {({ link, qrCode, address, code }) => (
        <>
          <SecretOnce label={copy.link} text={link}>
            {copy.setUpHint}
          </SecretOnce>
          {qrCode}
          <p className="text-sm">{copy.codeHint(address)}</p>
          <p className="font-mono text-xl tracking-wide">{code}</p>
        </>
      )}
    </SecretDialog>
  )
}

function DeviceForm({ events, onCreated }: { events: NamedPage[]; onCreated: (created: CreatedDevice) => void }) {
  const { props, errors, pending } = useForm(create, onCreated)
  const [isLimited, setLimited] = useState(false)
  return (
    <form {...props} className="flex flex-col gap-4">
      <TextField label={copy.name} hint={copy.nameHint} error={errors.name} name="name" maxLength={64} />
      <Choices legend={copy.events} error={errors.pageIds}>
        <Choice type="radio" name="access" value="all" label={copy.allEvents} checked onChange={() => setLimited(false)} />
        {events.length > 0 ? (
          <Choice type="radio" name="access" value="some" label={copy.someEvents} onChange={() => setLimited(true)} />
        ) : null}
        {isLimited ? (
          <div className="ml-6 max-h-48 overflow-y-auto">
            {events.map(({ id, name }) => (
              <Choice key={id} type="checkbox" name="pageIds" value={id} label={name} invalid={errors.pageIds !== undefined} />
            ))}
          </div>
        ) : null}
      </Choices>
      <Choices legend={copy.rights}>
        {RIGHTS.map((right) => (
          <Choice
            key={right}
            type="checkbox"
            name="rights"
            value={right}
            label={copy.rightNames[right] ?? right}
            hint={copy.rightHints[right]}
            checked={right !== 'undo'}
          />
        ))}
      </Choices>
      <Field label={copy.days}>
        {(attributes) => (
          <select {...attributes} className="field" name="days" defaultValue={30}>
            {DAYS.map((days) => (
              <option key={days} value={days}>
                {copy.dayNames[days]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Submit label={copy.create} pendingLabel={copy.creating} pending={pending} errors={errors} />
    </form>
  )
}

export const RevokeDevice = ({ id, name }: { id: string; name: string }) => (
  <ConfirmButton {...copy.revoke(name)} action={() => revoke(id)} />
)
