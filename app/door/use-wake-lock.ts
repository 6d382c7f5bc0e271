/** Keeps the screen on while the page is shown, if the browser supports this. */
import { useEffect } from 'react'

export function useWakeLock(): void {
  useEffect(() => {
    if (!('wakeLock' in navigator)) return
    let lock: WakeLockSentinel | undefined
    let hasEnded = false
    // The browser releases the lock when the page is hidden. Without a lock, the screen turns off as usual.
    const acquire = async () => {
      if (document.hidden) return
      const acquired = await navigator.wakeLock.request('screen').catch(() => undefined)
      if (hasEnded) void acquired?.release()
      else lock = acquired
    }
    void acquire()
    document.addEventListener('visibilitychange', acquire)
    return () => {
      hasEnded = true
      document.removeEventListener('visibilitychange', acquire)
      void lock?.release()
    }
  }, [])
}
