/** An empty or error state: what happened, and what to do. */
import type { ReactNode } from 'react'

export function Notice({ title, hint, children }: { title: string; hint: string; children?: ReactNode }) {
  return (
    <div className="mx-auto max-w-md px-5 py-16 text-center">
      <h1 className="font-medium text-lg [overflow-wrap:anywhere]">{title}</h1>
      <p className="mt-1 text-quiet">{hint}</p>
      {children ? <div className="mt-5 flex justify-center gap-2">{children}</div> : null}
    </div>
  )
}
