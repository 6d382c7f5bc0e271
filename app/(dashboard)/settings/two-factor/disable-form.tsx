'use client'
/** The form for turning off two-factor authentication, which requires a code. */
import { useAnnounce } from '@/app/_components/announcer'
import { Submit, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import { disable } from './actions'
import { CodeField } from './code-field'

const copy = settingsCopy.twoFactor

export function DisableForm() {
  const announce = useAnnounce()
  const { props, errors, pending } = useForm(disable, () => announce(copy.disabled))
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <CodeField hint={copy.anyCodeHint} error={errors.code} />
      <Submit label={copy.disable} pendingLabel={copy.pending} pending={pending} errors={errors} />
    </form>
  )
}
