/** The position of a table's page. In a long table, it is streamed after the page, because counting is slow. */
import { Suspense } from 'react'
import { listCopy } from '@/app/copy/list'
import { ifAvailable } from '@/lib/reports/report-throttle'

type Props = {
  /** The position of the page's first row, counted from 1. Undefined if it has not been counted. */
  start: number | undefined
  /** The number of rows on the page. */
  count: number
  total: number
  /** Counts the position of the page's first row. */
  findStart: () => Promise<number | undefined>
}

export function Position({ start, count, total, findStart }: Props) {
  if (start !== undefined) return listCopy.position(start, count, total)
  // If the database is unavailable, the table is shown without the position.
  const CountedPosition = async () => listCopy.position(await ifAvailable(findStart()), count, total)
  return (
    <Suspense fallback={listCopy.position(undefined, count, total)}>
      <CountedPosition />
    </Suspense>
  )
}
