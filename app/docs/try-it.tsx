'use client'
/** A form that sends a request to this server with the reader's API key. The key is kept only in memory. */
import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { PendingButton } from '../_components/pending-button'
import { docsCopy } from '../copy/docs'

const copy = docsCopy.tryIt

/** The API key, shared by all forms on the page. It is never stored. */
let key = ''
const listeners = new Set<() => void>()

function setKey(next: string): void {
  key = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export type Field = { name: string; in: 'query' | 'path' | 'header'; values?: string[]; required?: boolean; example?: string }

type Props = { id: string; method: string; path: string; fields: Field[]; body?: string | undefined; hint?: string | undefined }

type Result = { status: number; milliseconds: number; requestId: string; text: string; next?: string | undefined }

/** Returns the URL for the values of the form's fields. Omits empty query parameters. */
function buildUrl(path: string, fields: Field[], values: Record<string, string>): string {
  const query = new URLSearchParams()
  let filledPath = path
  for (const { name, in: where } of fields) {
    const value = values[name] ?? ''
    if (where === 'path') filledPath = filledPath.replace(`{${name}}`, encodeURIComponent(value))
    else if (where === 'query' && value !== '') query.set(name, value)
  }
  return query.size > 0 ? `${filledPath}?${query}` : filledPath
}

function buildHeaders(fields: Field[], values: Record<string, string>, body: string | undefined): Headers {
  const headers = new Headers({ Authorization: `Bearer ${key}` })
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  for (const { name, in: where } of fields) if (where === 'header' && values[name]) headers.set(name, values[name])
  return headers
}

/** Returns the parsed JSON, or undefined if the text is not valid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the cursor of the next page, if there is one. */
function getNextCursor(json: unknown): string | undefined {
  const { has_more, data } = (json ?? {}) as { has_more?: boolean; data?: { id: string }[] }
  return has_more ? data?.at(-1)?.id : undefined
}

/** Sends a request and returns its response, which may be empty, or not JSON if it comes from a proxy. Throws if there is no response. */
export async function sendRequest(
  { method, path, fields }: Pick<Props, 'method' | 'path' | 'fields'>,
  values: Record<string, string>,
  body: string | undefined,
): Promise<Result> {
  const startedAt = performance.now()
  const response = await fetch(buildUrl(path, fields, values), {
    method,
    headers: buildHeaders(fields, values, body),
    credentials: 'omit',
    cache: 'no-store',
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const json = parseJson(text)
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - startedAt),
    requestId: response.headers.get('request-id') ?? '',
    text: json === undefined ? text : JSON.stringify(json, null, 2),
    next: getNextCursor(json),
  }
}

function Input({ id, field, value, change }: { id: string; field: Field; value: string; change: (value: string) => void }) {
  const { name, values, required, example } = field
  const common = { id, value, className: 'field w-full', required: required === true }
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-mono text-quiet text-xs">
        {name}
      </label>
      {values ? (
        <select {...common} onChange={(event) => change(event.target.value)}>
          <option value="">{copy.any}</option>
          {values.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input {...common} placeholder={example} autoComplete="off" spellCheck={false} onChange={(event) => change(event.target.value)} />
      )}
    </div>
  )
}

function ResponseView({ id, result, next }: { id: string; result: Result; next: (() => void) | undefined }) {
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className={result.status < 400 ? 'font-medium text-good' : 'font-medium text-bad'}>
          {copy.status(result.status, result.milliseconds)}
        </span>
        <span className="break-all font-mono text-quiet text-xs">{result.requestId}</span>
        {next ? (
          <button type="button" className="button ml-auto" onClick={next}>
            {copy.next}
          </button>
        ) : null}
      </div>
      <label htmlFor={`${id}-response`} className="sr-only">
        {copy.response}
      </label>
      <textarea
        id={`${id}-response`}
        readOnly
        rows={14}
        value={result.text}
        className="mt-2 block w-full rounded-lg border border-line bg-page p-3 font-mono text-[0.8125rem] leading-5"
      />
    </div>
  )
}

/** Renders nothing until the script runs, because without it, submitting the form would put the key in a URL. */
export function TryIt(props: Props) {
  const { id, fields, body: initialBody, hint } = props
  /** Undefined until hydration. */
  const currentKey = useSyncExternalStore(
    subscribe,
    () => key,
    () => undefined,
  )
  const [values, setValues] = useState<Record<string, string>>({})
  const [body, setBody] = useState(initialBody)
  const [isPending, setPending] = useState(false)
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<string>()
  if (currentKey === undefined) return null

  async function run(fieldValues: Record<string, string>) {
    if (body && parseJson(body) === undefined) {
      setResult(undefined)
      setError(copy.badBody)
      return
    }
    setPending(true)
    setError(undefined)
    try {
      setResult(await sendRequest(props, fieldValues, body))
    } catch {
      setResult(undefined)
      setError(copy.noResponse)
    } finally {
      setPending(false)
    }
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    void run(values)
  }

  function loadPage(cursor: string) {
    const nextValues = { ...values, starting_after: cursor, ending_before: '' }
    setValues(nextValues)
    void run(nextValues)
  }

  const next = result?.next
  return (
    <details className="overflow-hidden rounded-lg border border-line bg-card">
      <summary className="cursor-pointer px-4 py-2 font-medium text-sm">{copy.title}</summary>
      <form onSubmit={submit} className="border-line border-t px-4 py-3">
        <p className="text-quiet text-sm">{copy.intro}</p>
        {hint === undefined ? null : <p className="mt-1 text-sm">{hint}</p>}
        <label htmlFor={`${id}-key`} className="mt-3 mb-1 block font-mono text-quiet text-xs">
          {copy.key}
        </label>
        <input
          id={`${id}-key`}
          type="password"
          autoComplete="off"
          required
          placeholder={copy.keyHint}
          value={currentKey}
          onChange={(event) => setKey(event.target.value.trim())}
          className="field w-full"
        />
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          {fields.map((field) => (
            <Input
              key={field.name}
              id={`${id}-${field.name}`}
              field={field}
              value={values[field.name] ?? ''}
              change={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </div>
        {initialBody === undefined ? null : (
          <>
            <label htmlFor={`${id}-body`} className="mt-3 mb-1 block font-mono text-quiet text-xs">
              {copy.body}
            </label>
            <textarea
              id={`${id}-body`}
              rows={4}
              spellCheck={false}
              value={body}
              onChange={(event) => setBody(event.target.value)}
              className="block w-full rounded-lg border border-line bg-card p-3 font-mono text-[0.8125rem]"
            />
          </>
        )}
        <PendingButton type="submit" className="button-primary mt-3" pending={isPending}>
          {isPending ? copy.sending : copy.send}
        </PendingButton>
        <div aria-live="polite">
          {error ? <p className="mt-3 text-bad text-sm">{error}</p> : null}
          {result ? <ResponseView id={id} result={result} next={next ? () => loadPage(next) : undefined} /> : null}
        </div>
      </form>
    </details>
  )
}
