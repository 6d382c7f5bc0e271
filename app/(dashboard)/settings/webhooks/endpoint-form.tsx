'use client'
/** Creates an endpoint and shows its secret once, edits it, and rotates its secret. */
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Choice, Choices, Field, type FormAction, Submit, useFirstField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { RECEIVERS } from '@/lib/webhooks/snippets'
import { FormDialog } from '../_parts/dialog-button'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import { create, edit, rotate, type ShownSecret } from './actions'

type Endpoint = { id: string; url: string; events: readonly string[]; description?: string | undefined }

type FormProps<Done> = {
  /** The event types that can be selected. */
  types: readonly string[]
  action: FormAction<Done>
  onDone: (done: Done) => void
  label: string
  pendingLabel: string
  endpoint?: Endpoint
}

function EndpointForm<Done>({ types, action, onDone, label, pendingLabel, endpoint }: FormProps<Done>) {
  const { props, errors, pending } = useForm(action, onDone)
  const first = useFirstField()
  const [some, setSome] = useState(endpoint !== undefined && !endpoint.events.includes('*'))
  return (
    <form {...props} className="flex flex-col gap-4">
      {endpoint ? <input type="hidden" name="id" value={endpoint.id} /> : null}
      <Field label={copy.url} hint={copy.urlHint} error={errors.url}>
        {(ties) => (
          <input
            {...ties}
            ref={first}
            className="field"
            name="url"
            type="url"
            defaultValue={endpoint?.url}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Field label={copy.description} hint={copy.descriptionHint} error={errors.description}>
        {(ties) => (
          <input {...ties} className="field" name="description" defaultValue={endpoint?.description} maxLength={200} autoComplete="off" />
        )}
      </Field>
      <Choices legend={copy.events} error={errors.events}>
        <Choice
          type="radio"
          name="choice"
          value="all"
          label={copy.all}
          hint={copy.allHint}
          checked={!some}
          onChange={() => setSome(false)}
        />
        <Choice type="radio" name="choice" value="some" label={copy.some} checked={some} onChange={() => setSome(true)} />
        {some ? (
          <div className="ml-6 max-h-56 overflow-y-auto px-2">
            {types.map((type) => (
              <Choice
                key={type}
                type="checkbox"
                name="events"
                value={type}
                label={type}
                checked={endpoint?.events.includes(type) ?? false}
                invalid={errors.events !== undefined}
              />
            ))}
          </div>
        ) : null}
      </Choices>
      <Submit label={label} pendingLabel={pendingLabel} pending={pending} errors={errors} />
    </form>
  )
}

/** The secret with programs that verify a request. */
function Secret({ shown }: { shown: ShownSecret }) {
  return (
    <>
      <SecretOnce label={copy.secret} text={shown.secret}>
        {copy.secretHint}
      </SecretOnce>
      <section aria-label={copy.snippets} className="flex flex-col gap-2">
        {Object.entries(RECEIVERS).map(([name, source]) => (
          <details key={name}>
            <summary className="cursor-pointer py-1 text-sm">{name}</summary>
            <pre className="wrap-anywhere whitespace-pre-wrap rounded-md border border-line p-3 text-[0.75rem]">{source}</pre>
          </details>
        ))}
      </section>
    </>
  )
}

export const CreateEndpoint = ({ types }: { types: readonly string[] }) => (
  <SecretDialog<ShownSecret>
    label={copy.create}
    isMain
    title={copy.create}
    madeTitle={copy.secretTitle}
    form={(onMade) => <EndpointForm types={types} action={create} onDone={onMade} label={copy.create} pendingLabel={copy.creating} />}
    done={({ url }) => copy.created(url)}
  >
    {(shown) => <Secret shown={shown} />}
  </SecretDialog>
)

export const EditEndpoint = ({ types, endpoint }: { types: readonly string[]; endpoint: Endpoint }) => (
  <FormDialog label={copy.edit} title={copy.editTitle} done={(message) => message}>
    {(onDone) => (
      <EndpointForm
        types={types}
        action={edit}
        onDone={onDone}
        label={dialogCopy.save}
        pendingLabel={dialogCopy.saving}
        endpoint={endpoint}
      />
    )}
  </FormDialog>
)

export function RotateSecret({ id }: { id: string }) {
  const router = useRouter()
  return (
    <SecretDialog<ShownSecret>
      label={copy.rotate}
      title={copy.rotateTitle}
      description={copy.rotateHint}
      madeTitle={copy.secretTitle}
      form={(onMade) => <RotateForm id={id} onDone={onMade} />}
      done={() => copy.rotated}
      onClosed={() => router.refresh()}
    >
      {(shown) => <Secret shown={shown} />}
    </SecretDialog>
  )
}

function RotateForm({ id, onDone }: { id: string; onDone: (shown: ShownSecret) => void }) {
  const { props, errors, pending } = useForm(rotate, onDone)
  return (
    <form {...props}>
      <input type="hidden" name="id" value={id} />
      <Submit label={copy.rotate} pendingLabel={copy.rotating} pending={pending} errors={errors} />
    </form>
  )
}
