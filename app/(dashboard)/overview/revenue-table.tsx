/** The figures of a chart, for who would rather read them or has them read out. */
import { formatDay } from '@/app/_components/cells'
import { overviewWords } from '@/app/copy/overview'

type Props = { days: string[]; values: number[]; before: number[]; write: (amount: number) => string }

export function RevenueTable({ days, values, before, write }: Props) {
  return (
    <table className="mt-2 w-full text-sm tabular-nums">
      <thead className="text-quiet">
        <tr>
          <th scope="col" className="py-1 text-left font-medium">
            {overviewWords.day}
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            {overviewWords.revenue}
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            {overviewWords.dayBefore}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map((day, at) => (
          <tr key={day} className="border-line border-t">
            <th scope="row" className="py-1 text-left font-normal">
              {formatDay(day)}
            </th>
            <td className="py-1 text-right">{write(values[at] ?? 0)}</td>
            <td className="py-1 text-right text-quiet">{write(before[at] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
