/** A booking's tickets with guest, type and check-in. QR codes are shown on demand, because anyone with a code can enter. */
import { formatInstant } from '@/app/_components/cells'
import { CopyButton } from '@/app/_components/copy-button'
import { QrPicture } from '@/app/_components/qr-picture'
import { StatusMark } from '@/app/_components/status-mark'
import { recordCopy } from '@/app/copy/record'
import type { BookedTicket } from '@/lib/admission/booking-tickets'

const copy = recordCopy.tickets

/** Returns the check-in status with the time, or with the date if the time is unknown. */
function doorState({ status, checkInStatus, method, day, at }: BookedTicket, timeZone: string) {
  const when = at ? formatInstant(at, timeZone) : day
  const how = method ? copy.method[method] : undefined
  if (status === 'CANCELED') return { tone: 'bad', text: copy.canceled, detail: undefined } as const
  if (checkInStatus === 'CHECKEDIN') return { tone: 'good', text: copy.checkedIn, detail: [when, how].filter(Boolean).join(', ') } as const
  return { tone: 'idle', text: copy.notCheckedIn, detail: undefined } as const
}

function Ticket({ ticket, typeName, timeZone }: { ticket: BookedTicket; typeName: string | undefined; timeZone: string }) {
  const { tone, text, detail } = doorState(ticket, timeZone)
  const name = ticket.shortId ?? ticket.id
  const type = typeName ?? ticket.typeId
  return (
    <li className="border-line border-t py-3 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
        <span className="font-mono text-[0.8125rem]">{name}</span>
        <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
          {ticket.guest ?? copy.guest}
        </span>
        {type ? (
          <span dir="auto" className="min-w-0 text-quiet [overflow-wrap:anywhere]">
            {type}
          </span>
        ) : null}
        <span className="ml-auto flex items-baseline gap-2">
          {detail ? (
            <span title={ticket.at ?? undefined} className="text-quiet">
              {detail}
            </span>
          ) : null}
          <StatusMark tone={tone}>{text}</StatusMark>
        </span>
      </div>
      <details className="mt-1 text-sm">
        <summary className="w-fit cursor-pointer py-0.5 text-accent">{copy.show}</summary>
        <div className="mt-2">
          <QrPicture code={ticket.code} alt={copy.alt(ticket.guest ? `${name}, ${ticket.guest}` : name)} />
          <p className="mt-2 flex items-center gap-1 font-mono text-[0.8125rem]">
            <span className="[overflow-wrap:anywhere]">{ticket.code}</span>
            <CopyButton text={ticket.code} what={copy.code} />
          </p>
        </div>
      </details>
    </li>
  )
}

type Props = {
  tickets: BookedTicket[]
  /** Names of ticket types by ID. */
  typeNames: ReadonlyMap<string, string>
  timeZone: string
}

export function Tickets({ tickets, typeNames, timeZone }: Props) {
  if (tickets.length === 0) return <p className="mt-2 text-quiet text-sm">{copy.none}</p>
  return (
    <ul className="mt-1">
      {tickets.map((ticket) => (
        <Ticket
          key={ticket.id}
          ticket={ticket}
          typeName={ticket.typeId === null ? undefined : typeNames.get(ticket.typeId)}
          timeZone={timeZone}
        />
      ))}
    </ul>
  )
}
