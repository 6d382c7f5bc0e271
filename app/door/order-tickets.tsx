/** Checks in some or all tickets of an order. Each has its own result. */
import { useState } from 'react'
import type { Guest } from '@/lib/admission/guests'
import { doorCopy } from '../copy/door'
import { GuestFacts, GuestName, GuestState, mayEnter } from './guest-line'
import type { ResultKind } from './scan-result'

type Props = {
  /** The order number, if any. */
  order: string | undefined
  guests: Guest[]
  /** Whether the order has more tickets than `guests`. */
  more: boolean
  withEvent: boolean
  /** False in preview mode. */
  admits: boolean
  onAdmit: (guests: Guest[]) => Promise<Map<string, ResultKind>>
}

export function OrderTickets({ order, guests, more, withEvent, admits, onAdmit }: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [pending, setPending] = useState(false)
  const [results, setResults] = useState<ReadonlyMap<string, ResultKind>>(new Map())
  // "Check in all" excludes guests who may re-enter: those are selected one by one.
  const outside = guests.filter((guest) => mayEnter(guest) && guest.checkInStatus === 'UNCHECKEDIN')
  const picked = guests.filter((guest) => chosen.has(guest.id) && mayEnter(guest))
  const selected = picked.length > 0 ? picked : outside

  function toggle(id: string) {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  async function admit() {
    setPending(true)
    setResults(await onAdmit(selected))
    setChosen(new Set())
    setPending(false)
  }

  const admitted = [...results.values()].filter((kind) => kind === 'admitted').length
  return (
    <section aria-labelledby="order">
      <h3 id="order" className="wrap-anywhere font-medium text-sm">
        {doorCopy.order(order)}
      </h3>
      <ul className="mt-1">
        {guests.map((guest) => {
          const result = results.get(guest.id)
          const who = (
            <span className="flex min-w-0 flex-col">
              <GuestName guest={guest} />
              <GuestFacts guest={guest} withEvent={withEvent} withOrder={false} />
              <GuestState guest={guest} />
            </span>
          )
          return (
            <li
              key={guest.id}
              className="flex min-h-14 items-center gap-3 border-line border-t py-2 first:border-t-0"
              data-ticket={guest.shortId}
            >
              {admits && mayEnter(guest) ? (
                <label className="flex grow items-center gap-3">
                  <input
                    type="checkbox"
                    className="size-6 shrink-0"
                    checked={chosen.has(guest.id)}
                    disabled={pending}
                    onChange={() => toggle(guest.id)}
                  />
                  {who}
                </label>
              ) : (
                <div className="grow">{who}</div>
              )}
              {result ? (
                <span className={`shrink-0 font-medium text-sm ${result === 'admitted' ? 'text-good' : 'text-bad'}`}>
                  {doorCopy.outcomes[result]}
                </span>
              ) : null}
            </li>
          )
        })}
      </ul>
      {more ? <p className="text-quiet text-sm">{doorCopy.orderMore}</p> : null}
      {admits && selected.length > 0 ? (
        <button type="button" className="button-primary mt-2 h-12 w-full text-base" disabled={pending} onClick={admit}>
          {picked.length > 0 ? doorCopy.admitSome(picked.length) : doorCopy.admitAll(outside.length)}
        </button>
      ) : null}
      <p role="status" className="mt-1 min-h-5 text-sm">
        {results.size > 0 ? doorCopy.admittedSome(admitted, results.size) : ''}
      </p>
    </section>
  )
}
