'use client'
/** The forms for inviting a user and changing a role. Lazy-loaded, to keep them out of the initial page load. */
import { useState } from 'react'
import { OriginalValues, RadioChoices, Submit, TextField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { teamCopy as copy } from '@/app/copy/team'
import type { Role } from '@/lib/accounts/roles'
import { type InvitationLink, invite, setRole } from './actions'

export function InviteForm({ onInvited }: { onInvited: (invitation: InvitationLink) => void }) {
  const { props, errors, pending } = useForm(invite, onInvited)
  return (
    <form {...props} className="flex flex-col gap-4">
      <TextField label={copy.email} error={errors.email} name="email" type="email" />
      <RadioChoices legend={copy.role} name="role" options={copy.roles} selected="staff" error={errors.role} />
      <Submit label={copy.createLink} pendingLabel={copy.inviting} pending={pending} errors={errors} />
    </form>
  )
}

export function RoleForm({ userId, role: current, onSuccess }: { userId: string; role: Role; onSuccess: (message: string) => void }) {
  const { props, errors, pending } = useForm(setRole, onSuccess)
  const [role] = useState(current)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="userId" value={userId} />
      <OriginalValues values={{ role }} />
      <RadioChoices legend={copy.role} name="role" options={copy.roles} selected={role} error={errors.role} />
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
    </form>
  )
}
