'use client'
/** The dialog for creating an API key, which shows the key once. */
import { onDemand } from '@/app/_components/on-demand'
import { keysCopy as copy } from '@/app/copy/keys'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import type { CreatedKey } from './actions'
import type { KeyFormProps } from './key-forms'

const KeyForm = onDemand(() => import('./key-forms').then((module) => module.KeyForm))

export function CreateKey({ scopes, today }: KeyFormProps) {
  return (
    <SecretDialog<CreatedKey>
      label={copy.create}
      isMain
      title={copy.create}
      secretTitle={copy.secretTitle}
      loadContent={KeyForm.load}
      form={(onCreated) => <KeyForm scopes={scopes} today={today} onCreated={onCreated} />}
      successMessage={({ name }) => copy.created(name)}
    >
      {({ key }) => (
        <SecretOnce label={copy.secret} text={key}>
          {copy.secretHint}
        </SecretOnce>
      )}
    </SecretDialog>
  )
}
