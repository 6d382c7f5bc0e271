/** Today's check-ins and refused scans per event, and how many people are inside. */
import { Link } from '@/app/_components/link'
import { overviewCopy } from '@/app/copy/overview'
import { NO_EVENT } from '@/lib/listing/list-refusals'
import type { EventCheckIns } from '@/lib/reports/check-ins'
import { Card } from './card'
import { refusedHref } from './view'

type Props = {
  events: EventCheckIns[]
  /** Today, as `YYYY-MM-DD`. */
  date: string
  /** The names of events by ID. */
  names: ReadonlyMap<string, string>
}

export const CheckInSummary = ({ events, date, names }: Props) => (
  <Card
    id="door"
    title={overviewCopy.door}
    aside={
      <a href="/door" className="text-accent text-sm underline-offset-4 hover:underline">
        {overviewCopy.doorOpen}
      </a>
    }
  >
    <ul className="text-sm tabular-nums">
      {events.map(({ pageId, admitted, refused, inside, sold }) => (
        <li key={pageId ?? ''} className="grid gap-x-6 border-line border-t py-2 first:border-t-0 sm:grid-cols-[1fr_auto_auto_auto]">
          <span className="truncate font-medium">{pageId ? (names.get(pageId) ?? pageId) : overviewCopy.noEvent}</span>
          <span>{overviewCopy.doorAdmitted(admitted)}</span>
          {refused > 0 ? (
            <Link href={refusedHref(date, pageId ?? NO_EVENT)} className="text-accent underline-offset-4 hover:underline">
              {overviewCopy.doorRefused(refused)}
            </Link>
          ) : (
            <span className="text-quiet">{overviewCopy.doorRefused(refused)}</span>
          )}
          <span className="text-quiet">{sold > 0 ? overviewCopy.doorInside(inside, sold) : null}</span>
        </li>
      ))}
    </ul>
  </Card>
)
