'use client'
/** Invites somebody in a box: to whom, as what; then the link, this once. */
import { useState } from 'react'
import { Field, Submit, useFirstField, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import { Box } from '../_parts/box'
import { SecretOnce } from '../_parts/secret-once'
import { useTell } from '../_parts/teller'
import { type Invited, invite } from './actions'
import { RoleChoices } from './role-choices'

const words = settingsWords.team

export function Invite() {
  const [open, setOpen] = useState(false)
  const [invited, setInvited] = useState<Invited>()
  const tell = useTell()

  function change(next: boolean) {
    setOpen(next)
    if (next) setInvited(undefined)
    else if (invited) tell(words.invited(invited.email))
  }

  return (
    <Box
      label={words.invite}
      isMain
      title={invited ? words.linkTitle : words.inviteTitle}
      description={invited ? undefined : words.inviteHint}
      open={open}
      onOpenChange={change}
    >
      {invited ? (
        <>
          <SecretOnce label={words.link} text={`${window.location.origin}${invited.path}`}>
            {words.linkHint(invited.email)}
          </SecretOnce>
          <button type="button" className="button" onClick={() => change(false)}>
            {settingsWords.done}
          </button>
        </>
      ) : (
        <InviteForm onInvited={setInvited} />
      )}
    </Box>
  )
}

function InviteForm({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const { props, complaints, pending } = useForm(invite, onInvited)
  const first = useFirstField()
  return (
    <form {...props} className="flex flex-col gap-4">
      <Field label={words.email} complaint={complaints.email}>
        {(ties) => <input {...ties} ref={first} className="field" name="email" type="email" autoComplete="off" />}
      </Field>
      <RoleChoices checked="staff" complaint={complaints.role} />
      <Submit label={words.makeLink} pendingLabel={words.inviting} pending={pending} complaints={complaints} />
    </form>
  )
}
