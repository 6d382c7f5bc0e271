/** Returns whether the page is shown. While it is hidden, the camera, the wake lock and requests for counts are off. */
import { useEffect, useState } from 'react'

export function useIsShown(): boolean {
  const [isShown, setShown] = useState(() => !document.hidden)
  useEffect(() => {
    const update = () => setShown(!document.hidden)
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return isShown
}
