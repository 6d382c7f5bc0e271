/** Returns whether the page is shown. While it is hidden, the camera, the wake lock and requests for counts are off. */
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

export function useIsShown(): boolean {
  const [isShown, setShown] = useState(() => !document.hidden)
  useEffect(() => {
    // Renders synchronously, because a phone may freeze a hidden page before React's next render.
    const update = () => flushSync(() => setShown(!document.hidden))
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return isShown
}
