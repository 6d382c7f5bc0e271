/** A link to another page of the dashboard. */
import type { ComponentProps } from 'react'

type Props = ComponentProps<'a'> & {
  /** `false` for another view of the same page, which keeps its scroll position. */
  scroll?: false
}

/**
 * Links to a page, which `LinkClicks` opens without loading a document. Not Next's `Link`, which renders two more components for each of the 90 links
 * of a table, and prefetches the routes of visible links, although each page is rendered only on the click.
 */
export const Link = ({ scroll, ...props }: Props) => <a {...props} data-link={scroll === false ? 'keep-scroll' : ''} />
