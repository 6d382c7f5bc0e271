/**
 * The table of a booking's tickets, also used for a single ticket. QR codes are shown on demand, because anyone who has a code can use the
 * ticket.
 */
import { formatCheckIn } from '@/app/_components/cells'
import { CopyButton } from '@/app/_components/copy-button'
import { Link } from '@/app/_components/link'
import { QrCode } from '@/app/_components/qr-code'
import { StatusBadge } from '@/app/_components/status-badge'
import { recordCopy } from '@/app/copy/record'
import type { BookingTicket } from '@/lib/admission/booking-tickets'
import { describeEntryMethod } from '@/lib/admission/scan-source'
import { CheckInButton } from '../../tickets/check-in-button'

const copy = recordCopy.tickets

/** Returns the text and the tone of the badge with a ticket's check-in status. */
function getCheckInBadge({ status, checkInStatus }: BookingTicket) {
  if (status === 'CANCELED') return { tone: 'bad', text: copy.canceled } as const
  if (checkInStatus === 'CHECKEDIN') return { tone: 'good', text: copy.checkedIn } as const
  return { tone: 'neutral', text: copy.notCheckedIn } as const
}

/** Describes when and how the ticket's check-in status last changed. */
function describeLastChange(ticket: BookingTicket, timeZone: string): string {
  const { method, source } = ticket
  return [formatCheckIn(ticket, timeZone), method ? describeEntryMethod({ method, source }) : undefined].filter(Boolean).join(', ')
}

/** The classes of a cell. On phones, rows become cards and empty cells take no space. */
const CELL_CLASSES = 'max-sm:block max-sm:empty:hidden sm:px-3 sm:py-2 sm:first:pl-0 sm:last:pr-0'

type RowProps = { ticket: BookingTicket; typeName: string | undefined; timeZone: string; isLinked: boolean }

function Row({ ticket, typeName, timeZone, isLinked }: RowProps) {
  const { tone, text } = getCheckInBadge(ticket)
  const canCheckIn = ticket.status !== 'CANCELED' && ticket.checkInStatus !== 'CHECKEDIN'
  const name = ticket.shortId || ticket.id
  return (
    <tr className="border-line border-t align-top max-sm:block max-sm:py-3 max-sm:first:border-t-0">
      <td className={`${CELL_CLASSES} break-words font-mono text-[0.8125rem]`}>
        {isLinked ? (
          <Link href={`/tickets/${ticket.id}`} className="text-accent underline-offset-4 hover:underline">
            {name}
          </Link>
        ) : (
          name
        )}
      </td>
      <td dir="auto" className={`${CELL_CLASSES} break-words`}>
        {ticket.guest ?? copy.guest}
      </td>
      <td dir="auto" className={`${CELL_CLASSES} break-words text-quiet`}>
        {typeName ?? ticket.typeId}
      </td>
      <td dir="auto" className={`${CELL_CLASSES} break-words text-quiet`}>
        {ticket.metadata.map(({ key, value }) => `${key}: ${value}`).join(', ')}
      </td>
      <td className={CELL_CLASSES}>
        <span className="flex flex-wrap items-center gap-2">
          <StatusBadge tone={tone}>{text}</StatusBadge>
          {canCheckIn ? <CheckInButton ticketId={ticket.id} name={[name, ticket.guest].filter(Boolean).join(', ')} /> : null}
        </span>
      </td>
      <td title={ticket.at ?? undefined} className={`${CELL_CLASSES} text-quiet tabular-nums`}>
        {describeLastChange(ticket, timeZone)}
      </td>
      <td className={CELL_CLASSES}>
        <details className="not-open:print:hidden">
          <summary className="w-fit cursor-pointer whitespace-nowrap text-accent max-sm:py-2">{copy.show}</summary>
          <div className="mt-2 w-64">
            <QrCode value={ticket.code} alt={copy.alt(ticket.guest ? `${name}, ${ticket.guest}` : name)} />
            <p className="mt-2 flex items-center gap-1 font-mono text-[0.8125rem]">
              <span className="wrap-anywhere">{ticket.code}</span>
              <CopyButton text={ticket.code} name={copy.code} />
            </p>
          </div>
        </details>
      </td>
    </tr>
  )
}

type Props = {
  tickets: BookingTicket[]
  /** Names of ticket types by ID. */
  typeNames: ReadonlyMap<string, string>
  timeZone: string
  /** Whether the tickets link to their pages. */
  isLinked?: boolean
}

export function Tickets({ tickets, typeNames, timeZone, isLinked = true }: Props) {
  if (tickets.length === 0) return <p className="mt-2 text-quiet text-sm">{copy.none}</p>
  return (
    <div className="overflow-x-auto">
      <table className="mt-1 w-full text-sm max-sm:block print:not-has-[details[open]]:[&_:is(th,td):last-child]:hidden">
        <caption className="sr-only">{copy.title}</caption>
        <thead className="max-sm:sr-only">
          <tr>
            {Object.entries(copy.columns).map(([key, label]) => (
              <th key={key} scope="col" className="px-3 py-1 text-left font-normal text-quiet first:pl-0 last:pr-0">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {tickets.map((ticket) => (
            <Row
              key={ticket.id}
              ticket={ticket}
              typeName={ticket.typeId === null ? undefined : typeNames.get(ticket.typeId)}
              timeZone={timeZone}
              isLinked={isLinked}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}
