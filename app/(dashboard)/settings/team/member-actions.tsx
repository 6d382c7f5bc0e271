'use client'
/** Buttons that change a team member or an invitation. */
import { useState, useTransition } from 'react'
import { Submit, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'
import { useAnnounce } from '../_parts/announcer'
import { ConfirmButton, DialogButton } from '../_parts/dialog-button'
import { disable, enable, revoke, setRole, setTwoFactorRequired } from './actions'
import { RoleChoices } from './role-choices'

const copy = settingsCopy.team

type MemberProps = { userId: string; email: string }

export function ChangeRole({ userId, email, role }: MemberProps & { role: Role }) {
  const [open, setOpen] = useState(false)
  const announce = useAnnounce()
  function onDone(name: string) {
    setOpen(false)
    announce(copy.roleChanged(email, name))
  }
  return (
    <DialogButton
      label={copy.changeRole}
      accessibleName={copy.changeRoleOf(email)}
      title={copy.changeRole}
      description={email}
      open={open}
      onOpenChange={setOpen}
    >
      <RoleForm userId={userId} role={role} onDone={onDone} />
    </DialogButton>
  )
}

function RoleForm({ userId, role, onDone }: { userId: string; role: Role; onDone: (name: string) => void }) {
  const { props, errors, pending } = useForm(setRole, onDone)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="userId" value={userId} />
      <RoleChoices selectedRole={role} error={errors.role} />
      <Submit label={settingsCopy.save} pendingLabel={settingsCopy.saving} pending={pending} errors={errors} />
    </form>
  )
}

type ConfirmedProps = {
  label: string
  accessibleName: string
  title: string
  hint: string
  /** The label of the confirm button. */
  confirmLabel: string
  /** The message on success. */
  done: string
  work: () => Promise<string | undefined>
}

function Confirmed({ label, accessibleName, title, hint, confirmLabel, done, work }: ConfirmedProps) {
  const announce = useAnnounce()
  async function confirm() {
    const message = await work()
    if (message === undefined) announce(done)
    return message
  }
  return (
    <ConfirmButton label={label} accessibleName={accessibleName} title={title} description={hint} yes={confirmLabel} onConfirm={confirm} />
  )
}

export function DisableMember({ userId, email }: MemberProps) {
  return (
    <Confirmed
      label={copy.disable}
      accessibleName={copy.disableNamed(email)}
      title={copy.disableTitle(email)}
      hint={copy.disableHint}
      confirmLabel={copy.disableUser}
      done={copy.disabled(email)}
      work={() => disable(userId)}
    />
  )
}

/** The button that requires two-factor authentication of the team, or makes it optional. */
export function RequireTwoFactor({ isRequired }: { isRequired: boolean }) {
  // The keys close the dialog of the button that is replaced.
  return isRequired ? (
    <Confirmed
      key="optional"
      label={copy.stopRequiring}
      accessibleName={copy.stopRequiringNamed}
      title={copy.stopRequiringTitle}
      hint={copy.stopRequiringHint}
      confirmLabel={copy.stopRequiring}
      done={copy.notRequired}
      work={() => setTwoFactorRequired(false)}
    />
  ) : (
    <Confirmed
      key="required"
      label={copy.require}
      accessibleName={copy.requireNamed}
      title={copy.requireTitle}
      hint={copy.requireHint}
      confirmLabel={copy.require}
      done={copy.required}
      work={() => setTwoFactorRequired(true)}
    />
  )
}

export function RevokeInvitation({ id, email }: { id: string; email: string }) {
  return (
    <Confirmed
      label={copy.revoke}
      accessibleName={copy.revokeNamed(email)}
      title={copy.revokeTitle(email)}
      hint={copy.revokeHint}
      confirmLabel={copy.revokeInvitation}
      done={copy.revoked(email)}
      work={() => revoke(id)}
    />
  )
}

export function EnableMember({ userId, email }: MemberProps) {
  const announce = useAnnounce()
  const [pending, start] = useTransition()
  const go = () =>
    start(async () => {
      announce((await enable(userId)) ?? copy.enabled(email))
    })
  return (
    <button type="button" className="button" aria-label={copy.enableNamed(email)} disabled={pending} onClick={go}>
      {copy.enable}
    </button>
  )
}
