/** A notice above every page, with a link to the page where the problem can be resolved. */
import { Link } from '@/app/_components/link'

type Props = { text: string; href: string; linkText: string }

export const NoticeBar = ({ text, href, linkText }: Props) => (
  // The notice is streamed after the page and is outside its landmarks. The role makes screen readers announce it.
  <p role="status" className="border-line border-b bg-card px-4 py-2 text-sm sm:px-6">
    <span className="mx-auto flex max-w-7xl flex-wrap gap-x-3">
      <span className="wrap-anywhere text-warn">{text}</span>
      <Link href={href} className="text-accent underline-offset-4 hover:underline">
        {linkText}
      </Link>
    </span>
  </p>
)
