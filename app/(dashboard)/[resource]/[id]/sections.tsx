/** The cards of a record's page. Values are shown verbatim, in their own writing direction. */
import Link from 'next/link'
import type { ReactNode } from 'react'
import { formatInstant } from '@/app/_components/cells'
import { CopyButton } from '@/app/_components/copy-button'
import { recordCopy } from '@/app/copy/record'
import type { Charge } from './charges'
import type { Entry } from './entries'
import type { Line } from './lines'
import type { Event } from './view'

export function Card({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="mb-4 min-w-0 break-inside-avoid rounded-lg border border-line bg-card p-4">
      <h2 id={id} className="font-medium">
        {title}
      </h2>
      {children}
    </section>
  )
}

function Value({ entry: { text, at, href, copy, label } }: { entry: Entry }) {
  return (
    <>
      {at ? (
        <time dateTime={at} title={at} className="tabular-nums">
          {text}
        </time>
      ) : href ? (
        <Link href={href} dir="auto" className="text-accent underline-offset-4 hover:underline">
          {text}
        </Link>
      ) : (
        <span dir="auto" className="whitespace-pre-line [overflow-wrap:anywhere]">
          {text}
        </span>
      )}
      {copy ? (
        <CopyButton text={copy} what={label} className="-my-1 ml-1 inline-flex rounded p-[5px] text-quiet hover:bg-hover hover:text-ink" />
      ) : null}
    </>
  )
}

/** Related members of a line or an event, in small type. */
function Details({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return null
  return (
    <dl className="flex flex-wrap gap-x-3 text-[0.8125rem] text-quiet">
      {entries.map((entry) => (
        <div key={entry.path} className="min-w-0">
          <dt title={entry.path} className="inline after:content-[':_']">
            {entry.label}
          </dt>
          <dd className="inline">
            <Value entry={entry} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function Entries({ entries }: { entries: Entry[] }) {
  return (
    <dl className="mt-2 grid grid-cols-1 text-sm sm:grid-cols-[minmax(8rem,11rem)_1fr]">
      {entries.map((entry) => (
        <div key={entry.path} className="contents">
          <dt title={entry.path} dir="auto" className="pt-1.5 text-quiet [overflow-wrap:anywhere] sm:py-1 sm:text-start">
            {entry.label}
          </dt>
          <dd className="min-w-0 pb-1.5 sm:py-1">
            <Value entry={entry} />
            <Details entries={entry.details ?? []} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function History({ events, timeZone, now }: { events: Event[]; timeZone: string; now: number }) {
  return (
    <ol className="mt-2 flex flex-col gap-1.5 text-sm">
      {events.map(({ name, label, at, details }) => (
        <li key={name}>
          <div className="flex justify-between gap-4">
            <span>
              {label}
              {Date.parse(at) > now ? <span className="ml-2 text-quiet text-xs">{recordCopy.upcoming}</span> : null}
            </span>
            <time dateTime={at} title={at} className="whitespace-nowrap text-quiet tabular-nums">
              {formatInstant(at, timeZone)}
            </time>
          </div>
          <Details entries={details} />
        </li>
      ))}
    </ol>
  )
}

export function Lines({ lines }: { lines: Line[] }) {
  const { item, quantity, price } = recordCopy.line
  return (
    <table className="mt-2 w-full text-sm tabular-nums">
      <thead>
        <tr className="text-quiet">
          <th scope="col" className="py-1 text-left font-normal">
            {item}
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            {quantity}
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            {price}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.key} className="border-line border-t align-top">
            <td className={`py-1.5 ${line.inner ? 'pl-4' : ''}`}>
              <span dir="auto" className="[overflow-wrap:anywhere]">
                {line.title}
              </span>
              <Details entries={line.details} />
            </td>
            <td className="py-1.5 pl-3 text-right">{line.quantity}</td>
            <td className="whitespace-nowrap py-1.5 pl-3 text-right">
              {line.price}
              {line.was ? (
                <span className="block text-quiet text-xs">
                  <span className="sr-only">{recordCopy.was} </span>
                  <s>{line.was}</s>
                </span>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function Charges({ charges }: { charges: Charge[] }) {
  return (
    <dl className="mt-2 text-sm tabular-nums">
      {charges.map(({ key, label, text, total, href, details }) => (
        <div key={key} className={`grid grid-cols-[1fr_auto] gap-x-4 py-1 ${total ? 'border-line border-t font-medium' : ''}`}>
          <dt title={key} dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
            {href ? (
              <Link href={href} className="text-accent underline-offset-4 hover:underline">
                {label}
              </Link>
            ) : (
              label
            )}
          </dt>
          <dd className="text-right">{text}</dd>
          {details.length > 0 ? (
            <dd className="col-span-2">
              <Details entries={details} />
            </dd>
          ) : null}
        </div>
      ))}
    </dl>
  )
}
