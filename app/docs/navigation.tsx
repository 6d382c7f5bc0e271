/** The table of contents: next to the text on wide screens, and collapsed above it on narrow ones. */
import { docsCopy as copy } from '../copy/docs'

export type Entry = { id: string; title: string }
export type Group = { title: string; entries: Entry[] }

const Links = ({ groups }: { groups: Group[] }) => (
  <>
    {groups.map(({ title, entries }) => (
      <div key={title} className="mb-5">
        <p className="px-2 pb-1 font-medium text-sm">{title}</p>
        <ul>
          {entries.map((entry) => (
            <li key={entry.id}>
              <a href={`#${entry.id}`} className="docs-link">
                {entry.title}
              </a>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </>
)

export function Navigation({ groups }: { groups: Group[] }) {
  return (
    <>
      <nav aria-label={copy.contents} className="sticky top-0 hidden h-dvh w-56 shrink-0 overflow-y-auto py-8 pr-2 lg:block">
        <Links groups={groups} />
      </nav>
      <details className="sticky top-0 z-10 -mx-4 border-line border-b bg-card px-4 sm:-mx-6 sm:px-6 lg:hidden">
        <summary className="cursor-pointer py-2.5 font-medium text-sm">{copy.contents}</summary>
        <nav aria-label={copy.contents} className="max-h-[60dvh] overflow-y-auto pb-3">
          <Links groups={groups} />
        </nav>
      </details>
    </>
  )
}
