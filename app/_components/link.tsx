/** A link to another of our pages, which is requested when the link is clicked. */
import NextLink from 'next/link'
import type { ComponentProps } from 'react'

/**
 * Links to a page. By default, Next requests the routes of all visible links ahead: up to 44 requests per page, which bring nothing, because each
 * page is rendered for the click.
 */
export const Link = (props: ComponentProps<typeof NextLink>) => <NextLink prefetch={false} {...props} />
