/** One record: what happened in order, the customer, every member, and the JSON as the API gives it. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { formatInstant, statusWords, toneOf } from '@/app/_components/cells'
import { CopyButton } from '@/app/_components/copy-button'
import { StatusMark } from '@/app/_components/status-mark'
import { requirePerson } from '@/app/session'
import { listWords } from '@/app/words/list'
import { recordWords } from '@/app/words/record'
import { words } from '@/app/words/shop'
import { formatMoney, isAmount } from '@/lib/money'
import { OBJECT_ID } from '@/lib/object-id'
import { type ResourceName, resources } from '@/lib/records'
import { memberAt } from '@/lib/records/columns'
import { findRecord } from '@/lib/records/list'

type Props = { params: Promise<{ resource: string; id: string }> }
type Shown = Record<string, unknown>

const isResource = (name: string): name is ResourceName => Object.hasOwn(resources, name)

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return { title: isResource(resource) ? `${words.one[resource]} · ${words.name}` : words.name }
}

const EVENTS = Object.keys(recordWords.events) as (keyof typeof recordWords.events)[]

/** The record's instants, in the order in which they came. */
function history(record: Shown): { label: string; at: string }[] {
  return EVENTS.flatMap((name) => {
    const at = record[name]
    return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? [{ label: recordWords.events[name], at }] : []
  }).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Every scalar member with its path; lists and objects are opened. */
function scalars(value: unknown, path = ''): { path: string; value: string | number | boolean }[] {
  if (isPlain(value)) return value === '' ? [] : [{ path, value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    scalars(inner, Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name),
  )
}

const lastName = (path: string) => path.slice(path.lastIndexOf('.') + 1)

export default async function RecordPage({ params }: Props) {
  const { resource: name, id } = await params
  if (!isResource(name)) notFound()
  const person = await requirePerson('records', `/${name}/${encodeURIComponent(id)}`)
  const text = OBJECT_ID.test(id) ? await findRecord(resources[name], person.sellerId, id) : undefined
  if (text === undefined) notFound()
  const record = JSON.parse(text) as Shown
  const currency = typeof record.currency === 'string' ? record.currency : undefined
  const email = typeof record.customerEmail === 'string' ? record.customerEmail : undefined
  const status = typeof record.status === 'string' ? record.status : undefined
  const title = String(record.orderId ?? record.code ?? record.id)
  const customer = [
    memberAt(record, 'billing.name'),
    memberAt(record, 'billing.companyName'),
    email,
    memberAt(record, 'billing.phone'),
  ].filter(isPlain)

  return (
    <main className="mx-auto max-w-4xl px-4 py-5 sm:px-6">
      <Link href={`/${name}`} className="text-quiet text-sm underline-offset-4 hover:underline">
        {recordWords.back(words.resources[name])}
      </Link>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="break-all font-semibold text-xl tracking-tight">{title}</h1>
        {status ? <StatusMark tone={toneOf(status)}>{statusWords(status)}</StatusMark> : null}
        {record.livemode === false ? <span className="rounded border border-line px-1 text-quiet text-xs">{listWords.test}</span> : null}
        {typeof record.amount === 'number' ? (
          <span className="ml-auto text-xl tabular-nums">{formatMoney(record.amount, currency)}</span>
        ) : null}
      </div>

      <div className="mt-6 grid gap-4 sm:grid-cols-2">
        <section aria-labelledby="history" className="rounded-lg border border-line bg-card p-4">
          <h2 id="history" className="font-medium">
            {recordWords.history}
          </h2>
          <ol className="mt-2 flex flex-col gap-1 text-sm">
            {history(record).map(({ label, at }) => (
              <li key={label} className="flex justify-between gap-4">
                <span>{label}</span>
                <time dateTime={at} title={at} className="whitespace-nowrap text-quiet tabular-nums">
                  {formatInstant(at, person.timeZone)}
                </time>
              </li>
            ))}
          </ol>
        </section>
        {customer.length > 0 ? (
          <section aria-labelledby="customer" className="rounded-lg border border-line bg-card p-4">
            <h2 id="customer" className="font-medium">
              {recordWords.customer}
            </h2>
            <ul className="mt-2 flex flex-col gap-1 text-sm">
              {customer.map((line) => (
                <li key={String(line)} className="break-words">
                  {String(line)}
                </li>
              ))}
            </ul>
            {email ? (
              <p className="mt-3 flex flex-wrap gap-x-3 text-sm">
                <span className="text-quiet">{recordWords.everything}</span>
                {(['payments', 'bookings', 'subscriptions'] as const).map((list) => (
                  <Link
                    key={list}
                    className="text-accent underline-offset-4 hover:underline"
                    href={`/${list}?search=${encodeURIComponent(email)}`}
                  >
                    {words.resources[list]}
                  </Link>
                ))}
              </p>
            ) : null}
          </section>
        ) : null}
      </div>

      <section aria-labelledby="details" className="mt-4 rounded-lg border border-line bg-card p-4">
        <h2 id="details" className="font-medium">
          {recordWords.details}
        </h2>
        <dl className="mt-2 grid grid-cols-1 text-sm sm:grid-cols-[minmax(10rem,20rem)_1fr]">
          {scalars(record).map(({ path, value }) => (
            <div key={path} className="contents">
              <dt className="break-words border-line border-t pt-1.5 font-mono text-[0.8125rem] text-quiet sm:py-1.5">{path}</dt>
              <dd className="flex items-start gap-2 break-all pb-1.5 sm:border-line sm:border-t sm:py-1.5">
                {typeof value === 'number' && isAmount(lastName(path)) ? (
                  <span title={String(value)}>{formatMoney(value, /usd$/i.test(path) ? 'usd' : currency)}</span>
                ) : (
                  <span>{String(value)}</span>
                )}
                {/^gateway|Id$|^id$/.test(path) ? <CopyButton text={String(value)} what={path} /> : null}
              </dd>
            </div>
          ))}
        </dl>
      </section>

      <details className="mt-4 rounded-lg border border-line bg-card p-4">
        <summary className="cursor-pointer font-medium">{recordWords.raw}</summary>
        <pre className="mt-3 whitespace-pre-wrap break-all font-mono text-[0.8125rem]">{JSON.stringify(record, null, 2)}</pre>
      </details>
    </main>
  )
}
