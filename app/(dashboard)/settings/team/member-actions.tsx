'use client'
/** What can be done to one member of the team, and to an invitation. */
import { useState, useTransition } from 'react'
import { Submit, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'
import { Box, Question } from '../_parts/box'
import { useTell } from '../_parts/teller'
import { disable, enable, setRole, takeBack } from './actions'
import { RoleChoices } from './role-choices'

const words = settingsWords.team

type MemberProps = { userId: string; email: string }

export function ChangeRole({ userId, email, role }: MemberProps & { role: Role }) {
  const [open, setOpen] = useState(false)
  const tell = useTell()
  function onDone(name: string) {
    setOpen(false)
    tell(words.roleChanged(email, name))
  }
  return (
    <Box
      label={words.changeRole}
      labelOf={words.changeRoleOf(email)}
      title={words.changeRole}
      description={email}
      open={open}
      onOpenChange={setOpen}
    >
      <RoleForm userId={userId} role={role} onDone={onDone} />
    </Box>
  )
}

function RoleForm({ userId, role, onDone }: { userId: string; role: Role; onDone: (name: string) => void }) {
  const { props, complaints, pending } = useForm(setRole, onDone)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="userId" value={userId} />
      <RoleChoices checked={role} complaint={complaints.role} />
      <Submit label={settingsWords.save} pendingLabel={settingsWords.saving} pending={pending} complaints={complaints} />
    </form>
  )
}

type ConfirmedProps = {
  label: string
  labelOf: string
  title: string
  hint: string
  /** What is told once it is done. */
  done: string
  work: () => Promise<string | undefined>
}

function Confirmed({ label, labelOf, title, hint, done, work }: ConfirmedProps) {
  const tell = useTell()
  async function confirm() {
    const refusal = await work()
    if (refusal === undefined) tell(done)
    return refusal
  }
  return <Question label={label} labelOf={labelOf} title={title} description={hint} yes={label} onConfirm={confirm} />
}

export function DisableMember({ userId, email }: MemberProps) {
  return (
    <Confirmed
      label={words.disable}
      labelOf={words.disableOf(email)}
      title={words.disableTitle(email)}
      hint={words.disableHint}
      done={words.disabled(email)}
      work={() => disable(userId)}
    />
  )
}

export function TakeBack({ id, email }: { id: string; email: string }) {
  return (
    <Confirmed
      label={words.takeBack}
      labelOf={words.takeBackOf(email)}
      title={words.takeBackTitle(email)}
      hint={words.takeBackHint}
      done={words.takenBack(email)}
      work={() => takeBack(id)}
    />
  )
}

export function EnableMember({ userId, email }: MemberProps) {
  const tell = useTell()
  const [pending, start] = useTransition()
  const go = () =>
    start(async () => {
      tell((await enable(userId)) ?? words.enabled(email))
    })
  return (
    <button type="button" className="button" aria-label={words.enableOf(email)} disabled={pending} onClick={go}>
      {words.enable}
    </button>
  )
}
