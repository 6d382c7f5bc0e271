'use client'
/** Invites a teammate, then shows the invite link once. */
import { useState } from 'react'
import { Field, RadioChoices, Submit, useFirstField, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import { useAnnounce } from '../_parts/announcer'
import { DialogButton } from '../_parts/dialog-button'
import { SecretOnce } from '../_parts/secret-once'
import { type InvitationLink, invite } from './actions'

const copy = settingsCopy.team

export function Invite() {
  const [open, setOpen] = useState(false)
  const [invited, setInvited] = useState<InvitationLink>()
  const announce = useAnnounce()

  function change(next: boolean) {
    setOpen(next)
    if (next) setInvited(undefined)
    else if (invited) announce(copy.invited(invited.email))
  }

  return (
    <DialogButton
      label={copy.invite}
      isMain
      title={invited ? copy.linkTitle : copy.inviteTitle}
      description={invited ? undefined : copy.inviteHint}
      open={open}
      onOpenChange={change}
    >
      {invited ? (
        <>
          <SecretOnce label={copy.link} text={`${window.location.origin}${invited.path}`}>
            {copy.linkHint(invited.email)}
          </SecretOnce>
          <button type="button" className="button" onClick={() => change(false)}>
            {settingsCopy.done}
          </button>
        </>
      ) : (
        <InviteForm onInvited={setInvited} />
      )}
    </DialogButton>
  )
}

function InviteForm({ onInvited }: { onInvited: (invited: InvitationLink) => void }) {
  const { props, errors, pending } = useForm(invite, onInvited)
  const first = useFirstField()
  return (
    <form {...props} className="flex flex-col gap-4">
      <Field label={copy.email} error={errors.email}>
        {(ties) => <input {...ties} ref={first} className="field" name="email" type="email" autoComplete="off" />}
      </Field>
      <RadioChoices legend={copy.role} name="role" options={settingsCopy.roles} selected="staff" error={errors.role} />
      <Submit label={copy.createLink} pendingLabel={copy.inviting} pending={pending} errors={errors} />
    </form>
  )
}
