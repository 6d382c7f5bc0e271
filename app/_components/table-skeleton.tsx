/** The loading skeleton of a list. It has the list's size, to avoid layout shift. */
const ROWS = Array.from({ length: 20 }, (_, index) => `row-${index}`)

export function TableSkeleton({ title }: { title: string }) {
  return (
    <div aria-busy>
      <h1 className="mb-3 font-semibold text-xl tracking-tight">{title}</h1>
      <div className="mb-3 flex flex-wrap gap-2">
        <div className="h-9 w-full rounded-lg bg-neutral-soft sm:w-52" />
        <div className="h-9 grow rounded-lg bg-neutral-soft sm:w-40 sm:grow-0" />
        <div className="h-9 grow rounded-lg bg-neutral-soft sm:w-40 sm:grow-0" />
        <div className="h-9 w-full rounded-lg bg-neutral-soft sm:ml-auto sm:w-80" />
      </div>
      <div className="rounded-lg border border-line bg-card">
        {ROWS.map((row) => (
          <div key={row} className="h-9 border-line border-b px-3 py-2.5 last:border-b-0 max-sm:h-16">
            <div className="h-4 animate-pulse rounded bg-neutral-soft" />
          </div>
        ))}
      </div>
    </div>
  )
}
