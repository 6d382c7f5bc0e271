/** Settings page for owners and staff: check-in conflicts. */
import type { Metadata } from 'next'
import { formatDay } from '@/app/_components/cells'
import { Link } from '@/app/_components/link'
import { conflictCopy as copy } from '@/app/copy/conflicts'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { type ListedConflict, listConflicts } from '@/lib/admission/conflicts'
import { Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '../../_parts/settings-section'
import { ReviewConflict } from './review-conflict'

export const metadata: Metadata = { title: `${copy.title} · ${shopCopy.name}` }

type ScanProps = {
  at: string | null
  /** The day of a check-in whose time is unknown. */
  day?: string | null
  gate: string | null
  timeZone: string
}

/** Shows the gate and the time of a scan or a check-in. */
function GateAndTime({ at, day = null, gate, timeZone }: ScanProps) {
  return (
    <>
      {gate}
      <span className="block text-quiet empty:hidden">
        {at !== null ? <Timestamp at={at} timeZone={timeZone} hasSeconds /> : day !== null ? formatDay(day) : null}
      </span>
    </>
  )
}

function Ticket({ conflict: { ticketId, guest, shortId, event } }: { conflict: ListedConflict }) {
  return (
    <>
      {ticketId === null ? (
        copy.unknownTicket
      ) : (
        <Link href={`/tickets/${ticketId}`} className="font-medium underline-offset-4 hover:underline">
          {guest ?? copy.noName}
        </Link>
      )}
      <span className="block text-quiet">{[shortId, event].filter(Boolean).join(' · ')}</span>
    </>
  )
}

export default async function ConflictsPage() {
  const { sellerId, timeZone } = await requireUser('records', '/settings/devices/conflicts')
  const conflicts = await listConflicts(sellerId)
  const { columns } = copy
  return (
    <SettingsSection
      title={copy.title}
      hint={copy.hint}
      action={
        <Link href="/settings/devices" className="button">
          {copy.back}
        </Link>
      }
    >
      {conflicts.length === 0 ? (
        <EmptyState title={copy.none} hint={copy.noneHint} />
      ) : (
        <Table caption={copy.title} headers={Object.values(columns)}>
          {conflicts.map((conflict) => (
            <Row key={conflict.id}>
              <Cell label={columns.what}>
                <span className="font-medium">{copy.kinds[conflict.kind]}</span>
                {conflict.isOverride ? <span className="block text-quiet">{copy.override}</span> : null}
              </Cell>
              <Cell label={columns.ticket}>
                <Ticket conflict={conflict} />
              </Cell>
              <Cell label={columns.scan}>
                <GateAndTime at={conflict.at} gate={conflict.gate} timeZone={timeZone} />
              </Cell>
              <Cell label={columns.checkIn}>
                {(conflict.checkedInGate ?? conflict.checkedInAt ?? conflict.checkedInDay) === null ? (
                  copy.noCheckIn
                ) : (
                  <GateAndTime at={conflict.checkedInAt} day={conflict.checkedInDay} gate={conflict.checkedInGate} timeZone={timeZone} />
                )}
              </Cell>
              <Cell label={columns.review}>
                {conflict.reviewedAt === null ? (
                  <ReviewConflict
                    id={conflict.id}
                    name={copy.reviewNamed(copy.kinds[conflict.kind], conflict.guest ?? copy.unknownTicket)}
                  />
                ) : (
                  <>
                    {copy.reviewedBy(conflict.reviewedBy)}
                    <span className="block">
                      <Timestamp at={conflict.reviewedAt} timeZone={timeZone} />
                    </span>
                    <span className="block text-quiet">{conflict.note}</span>
                  </>
                )}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </SettingsSection>
  )
}
