/** Runs in the browser before the router: reports navigations without a page load, and wraps the `fetch` that sends changes. */
import { showToast } from './app/_components/toast'
import { shellCopy } from './app/copy/shell'
import { sendOnce } from './app/send-once'

window.fetch = sendOnce(window.fetch.bind(window), () => showToast({ text: shellCopy.lost }))

/** Reports the start of each navigation. `NavigationProgress` shows those that take a while. */
export function onRouterTransitionStart(url: string): void {
  document.dispatchEvent(new CustomEvent('desk:navigation', { detail: url }))
}
