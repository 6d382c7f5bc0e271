/** The tickets of one order: some or all are checked in, each by itself, and each says what became of it. */
import { useState } from 'react'
import type { Guest } from '@/lib/admission/guests'
import { doorWords } from '../copy/door'
import { GuestFacts, GuestName, GuestState, mayEnter } from './guest-line'
import type { ShownKind } from './shown'

type Props = {
  /** The order's name, where it has one. */
  order: string | undefined
  guests: Guest[]
  /** Whether the order has more than these. */
  more: boolean
  withEvent: boolean
  /** Whether guests may be let in now. */
  admits: boolean
  onAdmit: (guests: Guest[]) => Promise<Map<string, ShownKind>>
}

export function OrderTickets({ order, guests, more, withEvent, admits, onAdmit }: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [pending, setPending] = useState(false)
  const [answers, setAnswers] = useState<ReadonlyMap<string, ShownKind>>(new Map())
  // All means those who are not in yet; who may come in again is chosen.
  const outside = guests.filter((guest) => mayEnter(guest) && guest.checkInStatus === 'UNCHECKEDIN')
  const picked = guests.filter((guest) => chosen.has(guest.id) && mayEnter(guest))
  const asked = picked.length > 0 ? picked : outside

  function toggle(id: string) {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  async function admit() {
    setPending(true)
    setAnswers(await onAdmit(asked))
    setChosen(new Set())
    setPending(false)
  }

  const admitted = [...answers.values()].filter((kind) => kind === 'admitted').length
  return (
    <section aria-labelledby="order">
      <h3 id="order" className="wrap-anywhere font-medium text-sm">
        {doorWords.order(order)}
      </h3>
      <ul className="mt-1">
        {guests.map((guest) => {
          const answer = answers.get(guest.id)
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
              {answer ? (
                <span className={`shrink-0 font-medium text-sm ${answer === 'admitted' ? 'text-good' : 'text-bad'}`}>
                  {doorWords.outcomes[answer]}
                </span>
              ) : null}
            </li>
          )
        })}
      </ul>
      {more ? <p className="text-quiet text-sm">{doorWords.orderMore}</p> : null}
      {admits && asked.length > 0 ? (
        <button type="button" className="button-primary mt-2 h-12 w-full text-base" disabled={pending} onClick={admit}>
          {picked.length > 0 ? doorWords.admitSome(picked.length) : doorWords.admitAll(outside.length)}
        </button>
      ) : null}
      <p role="status" className="mt-1 min-h-5 text-sm">
        {answers.size > 0 ? doorWords.admittedSome(admitted, answers.size) : ''}
      </p>
    </section>
  )
}
