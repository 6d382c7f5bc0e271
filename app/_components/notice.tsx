/** An empty or error state that says what happened and what to do. */
import type { ReactNode } from 'react'

type Props = {
  title: string
  hint: ReactNode
  /** The buttons. */
  children?: ReactNode
}

export function Notice({ title, hint, children }: Props) {
  return (
    <div className="mx-auto max-w-md px-5 py-16 text-center">
      <h1 className="wrap-anywhere font-medium text-lg">{title}</h1>
      <p className="mt-1 text-quiet">{hint}</p>
      {children ? <div className="mt-5 flex justify-center gap-2">{children}</div> : null}
    </div>
  )
}

type PageProps = { title: string; hint: string; href: string; link: string }

/** A page that contains only a notice with a link to another page. @param link the link's text */
export const NoticePage = ({ title, hint, href, link }: PageProps) => (
  <main>
    <Notice title={title} hint={hint}>
      <a className="button" href={href}>
        {link}
      </a>
    </Notice>
  </main>
)
