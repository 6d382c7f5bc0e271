'use client'
/** The dialogs for creating and editing an endpoint and for rotating its secret. A new secret is shown once. The forms are lazy-loaded. */
import { useRouter } from 'next/navigation'
import { FormDialog } from '@/app/_components/form-dialog'
import { loadAll, onDemand } from '@/app/_components/on-demand'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { SecretDialog } from '../_parts/secret-once'
import { create, type EndpointSecret, edit } from './actions'
import type { Endpoint } from './endpoint-form'

const load = () => import('./endpoint-form')
const CreateForm = onDemand(() => load().then((module) => module.EndpointForm<EndpointSecret>))
const EditForm = onDemand(() => load().then((module) => module.EndpointForm<string>))
const RotateForm = onDemand(() => load().then((module) => module.RotateForm))
const Secret = onDemand(() => load().then((module) => module.Secret))

export const CreateEndpoint = ({ types, origin }: { types: readonly string[]; origin: string }) => (
  <SecretDialog<EndpointSecret>
    label={copy.create}
    isMain
    title={copy.create}
    secretTitle={copy.secretTitle}
    loadContent={() => loadAll([CreateForm.load, Secret.load])}
    form={(onCreated) => <CreateForm types={types} action={create} onSuccess={onCreated} origin={origin} />}
    successMessage={({ url }) => copy.created(url)}
  >
    {(endpoint) => <Secret endpoint={endpoint} />}
  </SecretDialog>
)

export const EditEndpoint = ({ types, endpoint, origin }: { types: readonly string[]; endpoint: Endpoint; origin: string }) => (
  <FormDialog label={copy.edit} title={copy.editTitle} loadContent={EditForm.load}>
    {(onSuccess) => <EditForm types={types} action={edit} onSuccess={onSuccess} endpoint={endpoint} origin={origin} />}
  </FormDialog>
)

export function RotateSecret({ id, origin }: { id: string; origin: string }) {
  const router = useRouter()
  return (
    <SecretDialog<EndpointSecret>
      label={copy.rotate}
      title={copy.rotateTitle}
      description={copy.rotateHint}
      secretTitle={copy.secretTitle}
      loadContent={() => loadAll([RotateForm.load, Secret.load])}
      form={(onCreated) => <RotateForm id={id} origin={origin} onSuccess={onCreated} />}
      successMessage={() => copy.rotated}
      onClosed={() => router.refresh()}
    >
      {(endpoint) => <Secret endpoint={endpoint} />}
    </SecretDialog>
  )
}
