/** The statuses of a list as tabs, which are links with the number of records. */
import { Link } from './link'

export type Tab = { label: string; href: string; isCurrent: boolean; count: string }

export function StatusTabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav aria-label={label} className="-mx-1 flex min-w-0 gap-0.5 overflow-x-auto">
      {tabs.map(({ label: text, href, isCurrent, count }) => (
        <Link key={text} href={href} scroll={false} aria-current={isCurrent ? 'true' : undefined} className="tab-link">
          {text} <span className="text-quiet">{count}</span>
        </Link>
      ))}
    </nav>
  )
}
