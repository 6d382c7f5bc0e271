'use client'
/**
 * The forms for creating and editing an endpoint and for rotating its secret, and the view of the secret with code samples for verifying
 * requests.
 */
import { useState } from 'react'
import { apiRequest } from '@/app/_components/api-request'
import { CopyFormRequest } from '@/app/_components/copy-form-request'
import { CopyRequest } from '@/app/_components/copy-request'
import { Choice, Choices, type FormAction, OriginalValues, Submit, TextField, useForm } from '@/app/_components/form'
import { joinSorted } from '@/app/_components/form-state'
import { dialogCopy } from '@/app/copy/dialog'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { RECEIVERS } from '@/lib/webhooks/snippets'
import { SecretOnce } from '../_parts/secret-once'
import { type EndpointSecret, rotate } from './actions'
import { buildEndpointBody, buildEndpointUpdate } from './endpoint-body'

/** The API's path for webhook endpoints. */
const PATH = '/webhook_endpoints'

/** The members of an endpoint that the edit form uses. */
export type Endpoint = { id: string; url: string; events: readonly string[]; description?: string | undefined }

type FormProps<Data> = {
  /** The selectable event types. */
  types: readonly string[]
  action: FormAction<Data>
  onSuccess: (data: Data) => void
  /** The endpoint to edit. Undefined for a new one. */
  endpoint?: Endpoint
  /** The server's public origin, for the copyable API request. */
  origin: string
}

/** Returns the original values of the edit form's fields, in the format that `buildEndpointUpdate` expects. */
const toOriginalValues = ({ url, description, events }: Endpoint, types: readonly string[]) => ({
  url,
  description,
  events: joinSorted(events.includes('*') ? ['*'] : events.filter((type) => types.includes(type))),
})

export function EndpointForm<Data>({ types, action, onSuccess, endpoint: current, origin }: FormProps<Data>) {
  // The page might receive newer data while the form is open. The fields keep their values, so the original values must not change.
  const [endpoint] = useState(current)
  const { props, errors, pending, check } = useForm(action, onSuccess)
  const [isLimited, setLimited] = useState(endpoint !== undefined && !endpoint.events.includes('*'))
  return (
    <form {...props} className="flex flex-col gap-4">
      {endpoint ? (
        <>
          <input type="hidden" name="id" value={endpoint.id} />
          <OriginalValues values={toOriginalValues(endpoint, types)} />
        </>
      ) : null}
      <TextField
        label={copy.url}
        hint={copy.urlHint}
        error={errors.url}
        name="url"
        type="url"
        defaultValue={endpoint?.url}
        spellCheck={false}
      />
      <TextField
        label={copy.description}
        hint={copy.descriptionHint}
        error={errors.description}
        name="description"
        defaultValue={endpoint?.description}
        maxLength={200}
      />
      <Choices legend={copy.events} error={errors.events}>
        <Choice
          type="radio"
          name="choice"
          value="all"
          label={copy.all}
          hint={copy.allHint}
          checked={!isLimited}
          onChange={() => setLimited(false)}
        />
        <Choice type="radio" name="choice" value="some" label={copy.some} checked={isLimited} onChange={() => setLimited(true)} />
        {isLimited ? (
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
      <Submit
        label={endpoint ? dialogCopy.save : copy.create}
        pendingLabel={endpoint ? dialogCopy.saving : copy.creating}
        pending={pending}
        errors={errors}
      />
      <CopyFormRequest
        check={check}
        command={(form) =>
          endpoint
            ? apiRequest(origin, 'PATCH', `${PATH}/${endpoint.id}`, buildEndpointUpdate(form))
            : apiRequest(origin, 'POST', PATH, buildEndpointBody(form))
        }
      />
    </form>
  )
}

/** Shows an endpoint's secret, with code samples for verifying requests. */
export function Secret({ endpoint }: { endpoint: EndpointSecret }) {
  return (
    <>
      <SecretOnce label={copy.secret} text={endpoint.secret}>
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

export function RotateForm({ id, origin, onSuccess }: { id: string; origin: string; onSuccess: (endpoint: EndpointSecret) => void }) {
  const { props, errors, pending } = useForm(rotate, onSuccess)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <Submit label={copy.rotate} pendingLabel={copy.rotating} pending={pending} errors={errors} />
      <CopyRequest command={apiRequest(origin, 'POST', `${PATH}/${id}/rotate`)} />
    </form>
  )
}
