/** Renders values with the page if they are available quickly, and otherwise streams them afterward. */
import { type ReactNode, Suspense } from 'react'

/** How long the page waits for a value. */
const MAX_WAIT_MS = 40

/** Returns a promise's value if it is available within `MAX_WAIT_MS`, otherwise undefined. */
async function awaitBriefly<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, MAX_WAIT_MS, undefined)
  })
  // Errors are thrown later, where the promise is awaited again.
  return Promise.race([promise.catch(() => undefined), timeout]).finally(() => clearTimeout(timer))
}

/**
 * Renders a value if it is available within `MAX_WAIT_MS`. Otherwise, renders the fallback until the value is available.
 *
 * @param render renders the value
 * @param key the key of the Suspense boundary. A new key shows the fallback again
 */
export async function renderWhenReady<T>(
  promise: Promise<T>,
  render: (value: T) => ReactNode,
  fallback: ReactNode,
  key: string,
): Promise<ReactNode> {
  const value = await awaitBriefly(promise)
  if (value !== undefined) return render(value)
  const LateContent = async () => render(await promise)
  return (
    <Suspense key={key} fallback={fallback}>
      <LateContent />
    </Suspense>
  )
}
