'use client'
/** Buttons for managing team members, invitations and the team's two-factor requirement. */
import { ConfirmButton } from '@/app/_components/confirm-button'
import { FormDialog } from '@/app/_components/form-dialog'
import { onDemand } from '@/app/_components/on-demand'
import { teamCopy as copy } from '@/app/copy/team'
import type { Role } from '@/lib/accounts/roles'
import { ActionButton, toActionResult } from '../_parts/action-button'
import { disable, enable, resetMemberTwoFactor, revoke, setTwoFactorRequired } from './actions'

const RoleForm = onDemand(() => import('./team-forms').then((module) => module.RoleForm))

type MemberProps = { userId: string; email: string }

export const ChangeRole = ({ userId, email, role }: MemberProps & { role: Role }) => (
  <FormDialog
    label={copy.changeRole}
    accessibleName={copy.changeRoleAccessibleName(email)}
    title={copy.changeRole}
    description={email}
    loadContent={RoleForm.load}
  >
    {(onSuccess) => <RoleForm userId={userId} role={role} onSuccess={onSuccess} />}
  </FormDialog>
)

export const DisableMember = ({ userId, email }: MemberProps) => <ConfirmButton {...copy.disable(email)} action={() => disable(userId)} />

export const ResetTwoFactor = ({ userId, email }: MemberProps) => (
  <ConfirmButton {...copy.resetTwoFactor(email)} action={() => resetMemberTwoFactor(userId)} />
)

export const RevokeInvitation = ({ id, email }: { id: string; email: string }) => (
  <ConfirmButton {...copy.revokeInvitation(email)} action={() => revoke(id)} />
)

export const EnableMember = ({ userId, email }: MemberProps) => (
  <ActionButton
    label={copy.enable}
    accessibleName={copy.enableAccessibleName(email)}
    action={async () => toActionResult(await enable(userId), copy.enabled(email))}
  />
)

/** The button for making two-factor authentication required or optional for the team. */
export const RequireTwoFactor = ({ isRequired }: { isRequired: boolean }) => (
  <ConfirmButton
    // The keys differ so that React replaces the button and its dialog instead of reusing the state of the other button.
    key={String(isRequired)}
    {...(isRequired ? copy.makeTwoFactorOptional : copy.requireTwoFactor)}
    action={() => setTwoFactorRequired(!isRequired)}
  />
)
