/** The field for a two-factor authentication code. */
import { TextField } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'

export function CodeField({ hint, error }: { hint: string; error: string | undefined }) {
  return (
    <TextField
      label={settingsCopy.twoFactor.code}
      hint={hint}
      error={error}
      className="field max-w-48 text-base"
      name="code"
      autoComplete="one-time-code"
      spellCheck={false}
    />
  )
}
