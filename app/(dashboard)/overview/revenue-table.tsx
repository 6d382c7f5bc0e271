/** The chart's data as a table. */
import { formatDay } from '@/app/_components/cells'
import { overviewCopy } from '@/app/copy/overview'

type Props = { days: string[]; values: number[]; before: number[]; format: (amount: number) => string }

export function RevenueTable({ days, values, before, format }: Props) {
  return (
    <table className="mt-2 w-full text-sm tabular-nums">
      <thead className="text-quiet">
        <tr>
          <th scope="col" className="py-1 text-left font-medium">
            {overviewCopy.day}
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            {overviewCopy.revenue}
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            {overviewCopy.dayBefore}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map((day, at) => (
          <tr key={day} className="border-line border-t">
            <th scope="row" className="py-1 text-left font-normal">
              {formatDay(day)}
            </th>
            <td className="py-1 text-right">{format(values[at] ?? 0)}</td>
            <td className="py-1 text-right text-quiet">{format(before[at] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
