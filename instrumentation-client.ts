/**
 * Runs in the browser before the router starts. Reports client-side navigations, and wraps `window.fetch` so that requests other than GET
 * contain the ID of the page's user, and Next.js does not resend a server action whose response was lost.
 */
import { findPageUser } from './app/_components/page-user'
import type { Navigation } from './app/_components/pending-query'
import { withPageUser } from './app/page-user'
import { sendOnce } from './app/send-once'

window.fetch = sendOnce(withPageUser(window.fetch.bind(window), findPageUser))

/** Reports the start of each navigation. `NavigationProgress` shows a progress bar if the navigation takes a while. */
export function onRouterTransitionStart(url: string, navigation: Navigation): void {
  document.dispatchEvent(new CustomEvent('desk:navigation', { detail: { url, navigation } }))
}
