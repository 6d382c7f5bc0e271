'use client'
/** The dialog for inviting a teammate, which shows the invitation link once. */
import { onDemand } from '@/app/_components/on-demand'
import { teamCopy as copy } from '@/app/copy/team'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import type { InvitationLink } from './actions'

const InviteForm = onDemand(() => import('./team-forms').then((module) => module.InviteForm))

export const Invite = () => (
  <SecretDialog<InvitationLink>
    label={copy.invite}
    isMain
    title={copy.inviteTitle}
    description={copy.inviteHint}
    secretTitle={copy.linkTitle}
    loadContent={InviteForm.load}
    form={(onCreated) => <InviteForm onInvited={onCreated} />}
    successMessage={({ email }) => copy.invited(email)}
  >
    {({ path, email }) => (
      <SecretOnce label={copy.link} text={`${window.location.origin}${path}`}>
        {copy.linkHint(email)}
      </SecretOnce>
    )}
  </SecretDialog>
)
