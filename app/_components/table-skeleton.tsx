/** The shape of a table while its rows are fetched: nothing jumps when they come. */
const ROWS = Array.from({ length: 20 }, (_, at) => `row-${at}`)

export function TableSkeleton() {
  return (
    <div aria-busy className="mt-2 rounded-lg border border-line bg-card">
      {ROWS.map((row) => (
        <div key={row} className="border-line border-b px-4 py-3.5 last:border-b-0">
          <div className="h-4 animate-pulse rounded bg-idle-soft" />
        </div>
      ))}
    </div>
  )
}
