'use client'
/** What can be done to one key: rolled, with the new one shown this once, or revoked. */
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Choice, Choices, Submit, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import { Box, Question } from '../_parts/box'
import { SecretOnce } from '../_parts/secret-once'
import { useTell } from '../_parts/teller'
import { type RolledKey, revoke, roll } from './actions'

const words = settingsWords.keys
const OVERLAPS = ['0', '1h', '24h', '7d'] as const

type Props = { id: string; name: string }

export function RollKey({ id, name }: Props) {
  const [open, setOpen] = useState(false)
  const [rolled, setRolled] = useState<RolledKey>()
  const tell = useTell()
  const router = useRouter()

  function change(next: boolean) {
    setOpen(next)
    if (next) setRolled(undefined)
    else if (rolled) {
      tell(words.rolled(name))
      router.refresh()
    }
  }

  return (
    <Box
      label={words.roll}
      labelOf={words.rollOf(name)}
      title={rolled ? words.madeTitle : words.rollTitle(name)}
      description={rolled ? undefined : words.rollHint}
      open={open}
      onOpenChange={change}
    >
      {rolled ? (
        <>
          <SecretOnce label={words.secret} text={rolled.key}>
            {`${words.made} ${rolled.old}`}
          </SecretOnce>
          <button type="button" className="button" onClick={() => change(false)}>
            {settingsWords.done}
          </button>
        </>
      ) : (
        <RollForm id={id} onRolled={setRolled} />
      )}
    </Box>
  )
}

function RollForm({ id, onRolled }: { id: string; onRolled: (rolled: RolledKey) => void }) {
  const { props, complaints, pending } = useForm(roll, onRolled)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <Choices legend={words.overlap} complaint={complaints.overlap}>
        {OVERLAPS.map((overlap) => (
          <Choice key={overlap} type="radio" name="overlap" value={overlap} label={words.overlaps[overlap]} checked={overlap === '24h'} />
        ))}
      </Choices>
      <Submit label={words.roll} pendingLabel={words.rolling} pending={pending} complaints={complaints} />
    </form>
  )
}

export function RevokeKey({ id, name }: Props) {
  const tell = useTell()
  async function confirm() {
    const refusal = await revoke(id)
    if (refusal === undefined) tell(words.revoked(name))
    return refusal
  }
  return (
    <Question
      label={words.revoke}
      labelOf={words.revokeOf(name)}
      title={words.revokeTitle(name)}
      description={words.revokeHint}
      yes={words.revokeYes}
      onConfirm={confirm}
    />
  )
}
