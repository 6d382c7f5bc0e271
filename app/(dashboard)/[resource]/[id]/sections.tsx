/** The cards of a record's page. Text has `dir="auto"`, because names and notes can be written from right to left. */
import type { ReactNode } from 'react'
import { CopyButton } from '@/app/_components/copy-button'
import { Link } from '@/app/_components/link'
import { recordCopy } from '@/app/copy/record'
import type { Charge } from './charges'
import type { Figure } from './coupon-figures'
import type { Entry } from './entries'
import type { Line } from './lines'
import type { Group } from './view'

export function Card({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="min-w-0 break-inside-avoid rounded-lg border border-line bg-card p-4">
      <h2 id={id} className="font-medium">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** Shows labeled figures side by side, or stacked on phones. */
export function Figures({ figures, className = '' }: { figures: Figure[]; className?: string }) {
  return (
    <dl className={`grid gap-4 sm:grid-cols-3 ${className}`}>
      {figures.map(({ label, text, hint }) => (
        <div key={label}>
          <dt className="text-quiet text-sm">{label}</dt>
          <dd className="whitespace-pre-line font-semibold text-lg tabular-nums">{text}</dd>
          {hint === undefined ? null : <dd className="text-quiet text-xs">{hint}</dd>}
        </div>
      ))}
    </dl>
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
        <span dir="auto" className="wrap-anywhere whitespace-pre-line">
          {text}
        </span>
      )}
      {copy ? (
        <CopyButton text={copy} name={label} className="-my-1 ml-1 inline-flex rounded p-[5px] text-quiet hover:bg-hover hover:text-ink" />
      ) : null}
    </>
  )
}

/** Shows the related members of an item, a charge or an event in small type. */
export function Details({ entries }: { entries: Entry[] }) {
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
    <dl className="mt-2 grid grid-cols-1 text-sm gap-x-4 sm:grid-cols-[fit-content(9rem)_minmax(0,1fr)]">
      {entries.map((entry) => (
        <div key={entry.path} className="contents">
          <dt title={entry.path} dir="auto" className="wrap-anywhere pt-1.5 text-quiet sm:py-1">
            {entry.label}
          </dt>
          <dd className="wrap-anywhere min-w-0 pb-1.5 sm:py-1">
            <Value entry={entry} />
            <Details entries={entry.details ?? []} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The card with the purchased items, if there are any. */
export function Lines({ lines }: { lines: Line[] }) {
  const { item, quantity, price, total } = recordCopy.line
  if (lines.length === 0) return null
  return (
    <Card id="lines" title={recordCopy.lines}>
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
            <th scope="col" className="py-1 pl-3 text-right font-normal max-sm:hidden">
              {total}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.key} className="border-line border-t align-top">
              <td className={`py-1.5 ${line.isOption ? 'pl-4' : ''}`}>
                <span dir="auto" className="wrap-anywhere">
                  {line.title}
                </span>
                <Details entries={line.details} />
              </td>
              <td className="py-1.5 pl-3 text-right">{line.quantity}</td>
              <td className="whitespace-nowrap py-1.5 pl-3 text-right">
                {line.price}
                {line.originalPrice ? (
                  <span className="block text-quiet text-xs">
                    <span className="sr-only">{recordCopy.was} </span>
                    <s>{line.originalPrice}</s>
                  </span>
                ) : null}
              </td>
              <td className="whitespace-nowrap py-1.5 pl-3 text-right max-sm:hidden">{line.total}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function ChargeRow({ charge: { path, label, text, role, href, details }, hasSpaceAbove }: { charge: Charge; hasSpaceAbove: boolean }) {
  const style = role === 'total' ? 'border-line border-t font-medium' : role === 'part' ? '' : 'text-quiet'
  return (
    <div className={`grid grid-cols-[1fr_auto] gap-x-4 py-1 ${style} ${hasSpaceAbove ? 'mt-2' : ''}`}>
      <dt title={path} dir="auto" className="wrap-anywhere min-w-0">
        {role === 'included' ? <span className="text-quiet">{recordCopy.charges.includes} </span> : null}
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
  )
}

/** The card with the payment breakdown, if there is one. */
export function Charges({ charges }: { charges: Charge[] }) {
  if (charges.length === 0) return null
  return (
    <Card id="breakdown" title={recordCopy.breakdown}>
      <dl className="mt-2 text-sm tabular-nums">
        {charges.map((charge, index) => (
          <ChargeRow key={charge.key} charge={charge} hasSpaceAbove={charge.startsSum === true && index > 0} />
        ))}
      </dl>
    </Card>
  )
}

/** The initially collapsed card of rarely needed details: members without their own section, and the record as JSON. */
export const TechnicalDetails = ({ groups, json }: { groups: Group[]; json: unknown }) => (
  <details id="technical" className="not-open:print:hidden rounded-lg border border-line bg-card p-4">
    <summary className="cursor-pointer font-medium">{recordCopy.technical}</summary>
    <div className="mt-3 grid gap-x-8 gap-y-4 lg:grid-cols-2">
      {groups.map(({ name, title, entries }) => (
        <section key={name} aria-labelledby={name} className="min-w-0">
          <h3 id={name} className="font-medium text-sm">
            {title}
          </h3>
          <Entries entries={entries} />
        </section>
      ))}
    </div>
    <h3 className="mt-4 font-medium text-sm">{recordCopy.json}</h3>
    <pre className="wrap-anywhere mt-2 whitespace-pre-wrap font-mono text-[0.8125rem]">{JSON.stringify(json, null, 2)}</pre>
  </details>
)
