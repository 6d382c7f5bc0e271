/** A link to another page of the app, which is requested when the link is clicked. */
import NextLink from 'next/link'
import type { ComponentProps } from 'react'

/**
 * Links to a page. By default, Next prefetches the routes of all visible links: up to 44 requests per page, without any benefit, because each
 * page is rendered for the click.
 */
export const Link = (props: ComponentProps<typeof NextLink>) => <NextLink prefetch={false} {...props} />
