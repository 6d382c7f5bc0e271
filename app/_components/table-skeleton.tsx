/** The placeholder for a list while it loads. It has the list's size, to avoid layout shift. */
const ROWS = Array.from({ length: 20 }, (_, at) => `row-${at}`)

export function TableSkeleton() {
  return (
    <div aria-busy>
      <div className="mb-3 flex flex-wrap gap-2">
        <div className="h-9 w-full rounded-lg bg-idle-soft sm:w-68" />
        <div className="h-9 grow rounded-lg bg-idle-soft sm:w-40 sm:grow-0" />
        <div className="h-9 grow rounded-lg bg-idle-soft sm:w-40 sm:grow-0" />
        <div className="h-9 w-full rounded-lg bg-idle-soft sm:ml-auto sm:w-80" />
      </div>
      <div className="rounded-lg border border-line bg-card">
        {ROWS.map((row) => (
          <div key={row} className="border-line border-b px-4 py-3.5 last:border-b-0">
            <div className="h-4 animate-pulse rounded bg-idle-soft" />
          </div>
        ))}
      </div>
    </div>
  )
}
