'use client'
/** Invites a teammate, then shows the invite link once. */
import { RadioChoices, Submit, TextField, useFirstField, useForm } from '@/app/_components/form'
import { teamCopy as copy } from '@/app/copy/team'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import { type InvitationLink, invite } from './actions'

export const Invite = () => (
  <SecretDialog<InvitationLink>
    label={copy.invite}
    isMain
    title={copy.inviteTitle}
    description={copy.inviteHint}
    madeTitle={copy.linkTitle}
    form={(onMade) => <InviteForm onInvited={onMade} />}
    done={({ email }) => copy.invited(email)}
  >
    {({ path, email }) => (
      <SecretOnce label={copy.link} text={`${window.location.origin}${path}`}>
        {copy.linkHint(email)}
      </SecretOnce>
    )}
  </SecretDialog>
)

function InviteForm({ onInvited }: { onInvited: (invited: InvitationLink) => void }) {
  const { props, errors, pending } = useForm(invite, onInvited)
  const first = useFirstField()
  return (
    <form {...props} className="flex flex-col gap-4">
      <TextField label={copy.email} error={errors.email} ref={first} name="email" type="email" />
      <RadioChoices legend={copy.role} name="role" options={copy.roles} selected="staff" error={errors.role} />
      <Submit label={copy.createLink} pendingLabel={copy.inviting} pending={pending} errors={errors} />
    </form>
  )
}
