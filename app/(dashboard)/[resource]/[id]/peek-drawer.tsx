'use client'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '@/app/_components/icon'
/** The drawer next to a table: the essentials of a record. Its code is loaded on first use. */
import { Link } from '@/app/_components/link'
import { StatusMark } from '@/app/_components/status-mark'
import { peekCopy as copy } from '@/app/copy/peek'
import { recordCopy } from '@/app/copy/record'
import { BannerCard } from './banner-card'
import type { Peek, PeekEvent } from './peek-view'
import { Card, Charges, Entries, Lines } from './sections'

/** `href` is the record's page. */
type Props = { id: string; href: string; path: string; close: () => void; openPage: () => void }

/** Loads what a record's drawer shows. Until it is there, the previous record stays. Null if it could not be loaded. */
function usePeek(path: string): Peek | null | undefined {
  const [peek, setPeek] = useState<Peek | null>()
  useEffect(() => {
    const abort = new AbortController()
    fetch(path, { signal: abort.signal })
      .then(async (response) => setPeek(response.ok ? ((await response.json()) as Peek) : null))
      .catch(() => abort.signal.aborted || setPeek(null))
    return () => abort.abort()
  }, [path])
  return peek
}

export default function PeekDrawer({ id, href, path, close, openPage }: Props) {
  const peek = usePeek(`${path}/${id}/peek`)
  const drawer = useRef<HTMLElement>(null)
  useEffect(() => drawer.current?.focus({ preventScroll: true }), [])
  return (
    <aside
      ref={drawer}
      tabIndex={-1}
      aria-label={copy.label}
      aria-busy={peek === undefined}
      data-peek
      onKeyDown={(event) => event.key === 'Enter' && event.target === event.currentTarget && openPage()}
      className="fixed inset-y-0 right-0 z-20 flex w-[30rem] flex-col overflow-y-auto border-line border-l bg-page shadow-xl outline-none max-lg:hidden print:hidden"
    >
      <header className="sticky top-0 z-[1] border-line border-b bg-page px-4 py-3">
        <div className="flex items-center gap-2">
          <span className="min-w-0 grow truncate font-semibold text-2xl tabular-nums tracking-tight">{peek?.amount ?? peek?.title}</span>
          <Link href={href} className="button h-8" title={copy.openHint}>
            {copy.open}
          </Link>
          <button
            type="button"
            aria-label={copy.close}
            title={copy.closeHint}
            className="rounded-md p-2 text-quiet hover:bg-hover hover:text-ink"
            onClick={close}
          >
            <Icon name="close" size={16} />
          </button>
        </div>
        {peek ? (
          <>
            <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
              {peek.statuses.map(({ text, tone }) => (
                <StatusMark key={text} tone={tone}>
                  {text}
                </StatusMark>
              ))}
              {peek.isTest ? <span className="rounded border border-line px-1 text-quiet text-xs">{copy.test}</span> : null}
              {peek.amount === undefined ? null : <h2 className="font-medium [overflow-wrap:anywhere]">{peek.title}</h2>}
            </div>
            <p dir="auto" className="mt-1 text-quiet text-sm tabular-nums [overflow-wrap:anywhere]">
              {peek.subtitle}
            </p>
          </>
        ) : null}
      </header>
      <div className="flex flex-col gap-3 p-4">
        {peek === null ? (
          <p className="text-bad text-sm">{copy.failed}</p>
        ) : peek ? (
          <Essentials peek={peek} />
        ) : (
          <div className="h-40 animate-pulse rounded-lg bg-idle-soft" />
        )}
      </div>
    </aside>
  )
}

function Essentials({ peek: { banner, lines, charges, customer, customerHref, groups, timeline } }: { peek: Peek }) {
  return (
    <>
      {banner ? (
        <div className="-mb-4">
          <BannerCard banner={banner} />
        </div>
      ) : null}
      {lines.length > 0 ? (
        <Card id="lines" title={recordCopy.lines}>
          <Lines lines={lines} />
        </Card>
      ) : null}
      {charges.length > 0 ? (
        <Card id="breakdown" title={recordCopy.breakdown}>
          <Charges charges={charges} />
        </Card>
      ) : null}
      {groups.map(({ name, title, entries }) => (
        <Card key={name} id={name} title={title || recordCopy.paymentMethod}>
          <Entries entries={entries} />
        </Card>
      ))}
      {customer.length > 0 ? (
        <Card id="customer" title={recordCopy.customer}>
          <Entries entries={customer} />
          {customerHref ? (
            <Link href={customerHref} className="mt-2 inline-block text-accent text-sm underline-offset-4 hover:underline">
              {recordCopy.viewCustomer}
            </Link>
          ) : null}
        </Card>
      ) : null}
      {timeline.length > 0 ? (
        <Card id="history" title={recordCopy.history}>
          <ol className="mt-2 flex flex-col gap-1.5 text-sm">
            {timeline.map((event) => (
              <Event key={event.key} event={event} />
            ))}
          </ol>
        </Card>
      ) : null}
    </>
  )
}

const Event = ({ event: { label, at, time, text, isBad } }: { event: PeekEvent }) => (
  <li>
    <div className="flex flex-wrap justify-between gap-x-4">
      <span className={isBad ? 'text-bad' : ''}>{label}</span>
      <time dateTime={at} title={at} className="whitespace-nowrap text-quiet tabular-nums">
        {time}
      </time>
    </div>
    {text ? (
      <p dir="auto" className="text-quiet [overflow-wrap:anywhere]">
        {text}
      </p>
    ) : null}
  </li>
)
