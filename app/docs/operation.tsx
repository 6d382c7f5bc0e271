/** An operation: its description and parameters on one side, and code samples and a form to try it on the other. */
import type { OperationObject, Parameter } from '@/lib/http/openapi/types'
import { docsCopy as copy } from '../copy/docs'
import { Code } from './highlight'
import { Prose, renderInline } from './markdown'
import { Members, ObjectMembers } from './members'
import { Samples } from './samples'
import { resolveReference } from './schema'
import { TryIt } from './try-it'

type Props = {
  method: string
  path: string
  operation: OperationObject
  /** Replaces the URL in the code samples with this server's. */
  withServerUrl: (text: string) => string
}

/** Example responses with at least this many characters are collapsed. */
const MIN_COLLAPSED = 1200

const heading = 'mt-7 mb-1 font-medium text-sm'

function Parameters({ parameters }: { parameters: Parameter[] }) {
  return (['path', 'query', 'header'] as const).map((where) => {
    const shown = parameters.filter((parameter) => parameter.in === where)
    if (shown.length === 0) return null
    return (
      <div key={where}>
        <h4 className={heading}>{copy.parameters[where]}</h4>
        <Members
          entries={shown.map(({ name, schema, description, required }) => ({
            name,
            schema,
            description,
            mark: required ? copy.required : undefined,
          }))}
        />
      </div>
    )
  })
}

function Errors({ operation }: { operation: OperationObject }) {
  const rows = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    Number(status) < 400
      ? []
      : Object.entries(content?.['application/json']?.examples ?? {}).map(([code, { summary, value }]) => ({
          status,
          code,
          summary,
          value,
        })),
  )
  if (rows.length === 0) return null
  return (
    <details className="mt-7 rounded-lg border border-line">
      <summary className="cursor-pointer px-3 py-2 font-medium text-sm">{copy.errors}</summary>
      <ul className="border-line border-t px-3">
        {rows.map(({ status, code, summary, value }) => (
          <li key={code} className="border-line border-t py-2.5 text-sm first:border-t-0">
            <span className="mr-2 font-mono text-quiet text-xs">{status}</span>
            <code className="font-medium font-mono text-[0.8125rem]">{code}</code>
            <p className="mt-0.5">{renderInline(summary)}</p>
            <p className="mt-0.5 text-quiet">
              {copy.message}: {String((value as { message?: string }).message ?? '')}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Returns the description of the successful response's JSON, if it has any. */
const findContent = ({ responses }: OperationObject) =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.['application/json']

/** Returns the first example of the successful response. */
const findExample = (operation: OperationObject): unknown => Object.values(findContent(operation)?.examples ?? {})[0]?.value

/** An example. Without a title, it is labeled as a response and expanded if it is short. `open` always expands it. */
export function Example({ value, title, open = false }: { value: unknown; title?: string; open?: boolean }) {
  if (value === undefined) return null
  const text = JSON.stringify(value, null, 2)
  return (
    <details
      className="self-start overflow-hidden rounded-lg border border-line bg-card"
      open={open || (title === undefined && text.length < MIN_COLLAPSED)}
    >
      <summary className="cursor-pointer px-4 py-2 font-medium text-sm">{title ?? copy.example}</summary>
      <div className="border-line border-t">
        <Code code={text} />
      </div>
    </details>
  )
}

export function Operation({ method, path, operation, withServerUrl }: Props) {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation
  const scope = operation.security?.[0]?.apiKey?.[0]
  const body = requestBody?.content['application/json']
  const responseSchema = findContent(operation)?.schema
  // The form initially contains the last example. For ticket validation, this is the preview, which does not check in the ticket.
  const initialBody = Object.values(body?.examples ?? {}).at(-1)?.value
  const samples = (operation['x-codeSamples'] ?? []).map((sample) => ({ ...sample, source: withServerUrl(sample.source) }))
  return (
    <article id={id} className="scroll-mt-14 border-line border-t py-10 lg:scroll-mt-6">
      <h3 className="font-semibold text-lg tracking-tight">{summary}</h3>
      <p className="mt-2 flex flex-wrap items-baseline gap-x-2 font-mono text-[0.8125rem]">
        <span className="rounded bg-neutral-soft px-1.5 py-0.5 font-medium">{method}</span>
        <code className="break-all">{path}</code>
      </p>
      <div className="mt-5 grid gap-8 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="min-w-0">
          <Prose text={description} />
          <p className="mt-3 text-quiet text-sm">{scope ? renderInline(`${copy.scope} \`${scope}\``) : copy.noKey}</p>
          <Parameters parameters={parameters} />
          {body ? (
            <>
              <h4 className={heading}>{copy.body}</h4>
              <ObjectMembers schema={resolveReference(body.schema)} mark={copy.required} />
            </>
          ) : null}
          {responseSchema && resolveReference(responseSchema).properties ? (
            <>
              <h4 className={heading}>{copy.response}</h4>
              <ObjectMembers schema={resolveReference(responseSchema)} />
            </>
          ) : null}
          <Errors operation={operation} />
        </div>
        <div className="min-w-0 space-y-4 xl:sticky xl:top-6 xl:self-start">
          {samples.length > 0 ? <Samples name={id} title={summary} samples={samples} /> : null}
          {scope ? (
            <TryIt
              id={id}
              method={method}
              path={path}
              fields={parameters.map(({ name, in: where, schema, required, example }) => ({
                name,
                in: where,
                ...(schema.enum ? { values: schema.enum.map(String) } : {}),
                ...(required ? { required } : {}),
                ...(example === undefined ? {} : { example: String(example) }),
              }))}
              body={body ? JSON.stringify(initialBody) : undefined}
              hint={method === 'GET' ? undefined : id === 'validateTicket' ? copy.tryIt.door : copy.tryIt.change}
            />
          ) : null}
          <Example value={findExample(operation)} />
        </div>
      </div>
    </article>
  )
}
