/** A section of the overview with a heading. */
import type { ReactNode } from 'react'

type Props = {
  id: string
  title: string
  /** Content next to the title. */
  aside?: ReactNode
  children: ReactNode
}

export function Card({ id, title, aside, children }: Props) {
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-lg border border-line bg-card p-5">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 id={id} className="font-medium">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
