'use client'
/** The drawer next to a table, with a summary of a record. Lazy-loaded. */
import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type FetchFailure, fetchJson } from '@/app/_components/fetch-json'
import { Icon } from '@/app/_components/icon'
import { Link } from '@/app/_components/link'
import { Mark } from '@/app/_components/mark'
import { SignedOut } from '@/app/_components/signed-out'
import { StatusBadge } from '@/app/_components/status-badge'
import { peekCopy as copy } from '@/app/copy/peek'
import { recordCopy } from '@/app/copy/record'
import { BannerCard } from './banner-card'
import type { Peek, PeekEvent } from './peek-view'
import { Card, Charges, Entries, Lines } from './sections'

/** `id` identifies the record, `href` is the path of its page, and `path` is the table's path. */
export type PeekDrawerProps = { id: string; href: string; path: string; close: () => void }

type PeekResponse = { request: string; result: Peek | FetchFailure }

/** Loads a record for the drawer. While it loads, `isBusy` is true and `peek` is the previous record. `failure` says why loading failed. */
function usePeek(path: string) {
  const [loaded, setLoaded] = useState<PeekResponse>()
  const [attempt, setAttempt] = useState(0)
  // The fragment is not sent. It only distinguishes attempts.
  const request = `${path}#${attempt}`
  useEffect(() => {
    const abort = new AbortController()
    fetchJson<Peek>(request, abort.signal).then((result) => abort.signal.aborted || setLoaded({ request, result }))
    return () => abort.abort()
  }, [request])
  const isBusy = loaded?.request !== request
  const result = loaded?.result
  const peek = typeof result === 'object' ? result : undefined
  const failure = !isBusy && typeof result === 'string' ? result : undefined
  const hasFailed = failure !== undefined
  useEffect(() => {
    if (!hasFailed) return
    const retry = () => setAttempt((previous) => previous + 1)
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [hasFailed])
  return { peek, isBusy, failure, retry: () => setAttempt(attempt + 1) }
}

/** Finds a row's link in the document, because the table is rendered on the server. */
const findRow = (id: string) => document.querySelector<HTMLAnchorElement>(`a[data-row="${CSS.escape(id)}"]`)

export default function PeekDrawer({ id, href, path, close }: PeekDrawerProps) {
  const { peek, isBusy, failure, retry } = usePeek(`${path}/${id}/peek`)
  const router = useRouter()
  const drawer = useRef<HTMLElement>(null)
  const latestId = useRef(id)
  useEffect(() => {
    const row = findRow(id)
    row?.setAttribute('aria-current', 'true')
    latestId.current = id
    return () => row?.removeAttribute('aria-current')
  }, [id])
  useEffect(() => {
    drawer.current?.focus({ preventScroll: true })
    return () => {
      // Focusing another element, such as the search field, may have closed the drawer. That element keeps the focus.
      if (document.activeElement === document.body) findRow(latestId.current)?.focus({ preventScroll: true })
    }
  }, [])
  // The drawer covers part of the page, so it closes if an element underneath receives the focus.
  const closeIfCovering = useEffectEvent(({ target }: FocusEvent) => {
    const edge = drawer.current?.getBoundingClientRect().left ?? Number.POSITIVE_INFINITY
    if (target instanceof Element && target.closest('main') && target.getBoundingClientRect().right > edge) close()
  })
  useEffect(() => {
    const onFocus = (event: FocusEvent) => closeIfCovering(event)
    document.addEventListener('focusin', onFocus)
    return () => document.removeEventListener('focusin', onFocus)
  }, [])
  const Title = peek && peek.amount === undefined ? 'h2' : 'span'
  // Dims the previous record if the next one takes a while to load.
  const fade = `transition-opacity ${isBusy ? 'opacity-40 delay-150' : 'duration-0'}`
  return (
    <aside
      ref={drawer}
      tabIndex={-1}
      aria-label={peek?.title ?? copy.label}
      aria-busy={isBusy}
      data-peek
      onKeyDown={(event) => event.key === 'Enter' && event.target === event.currentTarget && router.push(href)}
      className="fixed inset-y-0 right-0 z-20 flex w-[30rem] flex-col overflow-y-auto border-line border-l bg-page shadow-xl outline-none max-lg:hidden print:hidden"
    >
      <header className="sticky top-0 z-[1] border-line border-b bg-page px-4 py-3">
        <div className="flex items-center gap-2">
          <Title className={`min-w-0 grow truncate font-semibold text-2xl tabular-nums tracking-tight ${fade}`}>
            {peek?.amount ?? peek?.title}
          </Title>
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
          <div className={fade}>
            <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
              {peek.statuses.map(({ text, tone }) => (
                <StatusBadge key={text} tone={tone}>
                  {text}
                </StatusBadge>
              ))}
              {peek.isTest ? <Mark text={copy.test} /> : null}
              {peek.amount === undefined ? null : <h2 className="wrap-anywhere font-medium">{peek.title}</h2>}
            </div>
            <p className="wrap-anywhere mt-1 text-quiet text-sm tabular-nums">
              {peek.person ? (
                <>
                  <bdi>{peek.person}</bdi> ·{' '}
                </>
              ) : null}
              {peek.createdAt}
            </p>
          </div>
        ) : null}
        <p role="status" className="sr-only">
          {peek && !isBusy ? [peek.title, peek.amount].filter(Boolean).join(', ') : null}
        </p>
      </header>
      <div className={`flex flex-col gap-3 p-4 ${fade}`}>
        {failure === 'signed-out' ? (
          <SignedOut />
        ) : failure ? (
          <>
            <p role="alert" className="text-bad text-sm">
              {copy.failed}
            </p>
            <button type="button" className="button self-start" onClick={retry}>
              {copy.retry}
            </button>
          </>
        ) : peek ? (
          <Summary peek={peek} />
        ) : (
          <div className="h-40 animate-pulse rounded-lg bg-neutral-soft" />
        )}
      </div>
    </aside>
  )
}

function Summary({ peek: { banner, lines, charges, customer, customerHref, groups, timeline } }: { peek: Peek }) {
  return (
    <>
      {banner ? (
        <div className="-mb-4">
          <BannerCard banner={banner} />
        </div>
      ) : null}
      <Lines lines={lines} />
      <Charges charges={charges} />
      {groups.map(({ name, title, entries }) => (
        <Card key={name} id={name} title={title}>
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
              <TimelineEvent key={event.key} event={event} />
            ))}
          </ol>
        </Card>
      ) : null}
    </>
  )
}

const TimelineEvent = ({ event: { label, dateTime, time, text, isBad } }: { event: PeekEvent }) => (
  <li>
    <div className="flex flex-wrap justify-between gap-x-4">
      <span className={isBad ? 'text-bad' : ''}>{label}</span>
      <time dateTime={dateTime} title={dateTime} className="whitespace-nowrap text-quiet tabular-nums">
        {time}
      </time>
    </div>
    {text ? (
      <p dir="auto" className="wrap-anywhere text-quiet">
        {text}
      </p>
    ) : null}
  </li>
)
