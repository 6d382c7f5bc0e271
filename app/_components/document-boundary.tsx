'use client'
/** The Suspense boundary of a page loaded as a document. */
import { type ReactNode, Suspense, useState } from 'react'

/**
 * Shows a fallback until the content of a document has been streamed. After a client-side navigation, there is no fallback and no boundary,
 * so that the previous page stays until the content and its scripts are loaded. Otherwise, React would show the fallback for 300 ms, even
 * if the content loads faster.
 *
 * @param fallback undefined after a client-side navigation. Later values are ignored, because a change would reset the content's state
 */
export function DocumentBoundary({ fallback, children }: { fallback: ReactNode; children: ReactNode }) {
  const [initialFallback] = useState(fallback)
  return initialFallback ? <Suspense fallback={initialFallback}>{children}</Suspense> : children
}
