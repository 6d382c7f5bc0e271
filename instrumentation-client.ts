/** Reports the start of each navigation without a page load. `NavigationProgress` shows those that take a while. */

export function onRouterTransitionStart(url: string): void {
  document.dispatchEvent(new CustomEvent('desk:navigation', { detail: url }))
}
