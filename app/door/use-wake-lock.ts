/** Keeps the screen on while the page is shown, if the browser supports this. Browsers release the lock when the page is hidden. */
import { useEffect } from 'react'
import { useIsShown } from './use-is-shown'

export function useWakeLock(): void {
  const isShown = useIsShown()
  useEffect(() => {
    if (!isShown || !('wakeLock' in navigator)) return
    // Without a lock, the screen turns off as usual.
    const locking = navigator.wakeLock.request('screen').catch(() => undefined)
    return () => void locking.then((lock) => lock?.release())
  }, [isShown])
}
