/** The members of an object, or the parameters of a request. Nested objects are collapsed. */
import type { Schema } from '@/lib/http/openapi/types'
import { docsCopy as copy } from '../copy/docs'
import { renderInline } from './markdown'
import { findAnchor, findObjectSchema, formatType } from './schema'

function Values({ schema }: { schema: Schema }) {
  const meanings = schema['x-enumDescriptions'] ?? {}
  return (
    <div className="values">
      <span>{copy.oneOf}</span>
      {schema.enum?.map((value) => {
        const name = String(value)
        return (
          <span key={name}>
            <code>{name}</code> {meanings[name] ? renderInline(meanings[name]) : null}
          </span>
        )
      })}
    </div>
  )
}

/** Returns the notes that follow a value's type: a mark such as "required", the bounds, the default and the scope. */
function listNotes(schema: Schema, mark: string | undefined): string[] {
  const { minimum, maximum, default: byDefault } = schema
  return [
    ...(mark ? [mark] : []),
    ...(minimum !== undefined && maximum !== undefined ? [copy.bounds(minimum, maximum)] : []),
    ...(byDefault === undefined ? [] : [copy.byDefault(String(byDefault))]),
    ...(schema['x-scope'] ? [copy.withScope(schema['x-scope'])] : []),
  ]
}

type Entry = { name: string; schema: Schema; description: string; mark?: string | undefined }

function Member({ name, schema, description, mark }: Entry) {
  const inner = findObjectSchema(schema)
  const anchor = findAnchor(inner?.title)
  const notes = listNotes(schema, mark)
  return (
    <li className="member">
      <code>{name}</code>
      <i>{[formatType(schema), ...notes].join(' · ')}</i>
      <p>{renderInline(description)}</p>
      {schema.enum ? <Values schema={schema} /> : null}
      {anchor ? (
        <a href={`#${anchor}`} className="text-accent text-sm underline underline-offset-2">
          {copy.object(inner?.title ?? name)}
        </a>
      ) : null}
      {inner && !anchor ? (
        <Collapsed title={copy.fieldsOf(inner.title ?? name, Object.keys(inner.properties ?? {}).length)}>
          <ObjectMembers schema={inner} />
        </Collapsed>
      ) : null}
    </li>
  )
}

function Collapsed({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <details className="fold">
      <summary>{title}</summary>
      {children}
    </details>
  )
}

export const Members = ({ entries }: { entries: Entry[] }) => (
  <ul>
    {entries.map((entry) => (
      <Member key={entry.name} {...entry} />
    ))}
  </ul>
)

const toEntries = (schema: Schema, mark: string): Entry[] =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    schema: member,
    description: member.description ?? '',
    mark: schema.required?.includes(name) ? mark : undefined,
  }))

/** All members of an object, in schema order. */
export const ObjectMembers = ({ schema, mark = copy.always }: { schema: Schema; mark?: string }) => (
  <Members entries={toEntries(schema, mark)} />
)

/** The members of a record: those that are always present, followed by the others, collapsed. */
export function RecordMembers({ schema }: { schema: Schema }) {
  const entries = toEntries(schema, copy.always)
  const always = entries.filter(({ mark }) => mark)
  const others = entries.filter(({ mark }) => !mark)
  return (
    <>
      <Members entries={always} />
      {others.length > 0 ? (
        <Collapsed title={copy.more(others.length)}>
          <Members entries={others} />
        </Collapsed>
      ) : null}
    </>
  )
}
