/** A list's statuses as tabs. Each is a link with the number of records. */
import { Link } from './link'
import type { QueryLink } from './with-params'

export type Tab = QueryLink & { label: string; isCurrent: boolean; count?: string }

export function StatusTabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav aria-label={label} className="-mx-1 flex min-w-0 gap-0.5 overflow-x-auto">
      {tabs.map(({ label: text, isCurrent, count, ...link }) => (
        <Link key={text} {...link} scroll={false} aria-current={isCurrent ? 'true' : undefined} className="tab-link">
          {text} <span className="text-quiet">{count}</span>
        </Link>
      ))}
    </nav>
  )
}
