/** The time at which the server rendered the page. It is in the page's metadata, so a page that the router restores has its old time. */

/** The name of the `meta` element with the time. */
export const RENDERED_AT = 'desk-rendered-at'

/** Reads the time from the document. @returns an ISO 8601 timestamp */
export const findRenderedAt = () => document.querySelector<HTMLMetaElement>(`meta[name=${RENDERED_AT}]`)?.content

/** Calls `onChange` when the document's metadata changes: on navigations and refreshes. @returns a function that stops this */
export function observeHead(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.head, { attributes: true, childList: true, subtree: true })
  return () => observer.disconnect()
}
