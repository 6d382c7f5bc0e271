/** A link to another page of the dashboard. */
import type { ComponentProps } from 'react'

type Props = ComponentProps<'a'> & {
  /** `false` keeps the scroll position, for a link to another view of the same page. */
  scroll?: false
}

/**
 * A link that `ClientNavigation` opens without loading a new document. Next's `Link` is not used, because it renders two more components
 * for each of a table's 90 links. Its prefetching of visible links would save little, because a page is rendered only after the click.
 */
export const Link = ({ scroll, ...props }: Props) => <a {...props} data-link={scroll === false ? 'keep-scroll' : ''} />
