/** Detects whether the camera can be used, without starting it. The status line shows the result. */
import { useEffect, useState } from 'react'

export type CameraState = 'works' | 'unknown' | 'blocked' | 'none'

/** Returns whether the camera works, as far as is known. @param isOn whether the camera is in use */
export function useCameraState(isOn: boolean): CameraState {
  const [state, setState] = useState<CameraState>('unknown')
  useEffect(() => {
    const controller = new AbortController()

    async function read(permission: PermissionStatus | undefined): Promise<CameraState> {
      const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? []
      if (!devices.some(({ kind }) => kind === 'videoinput')) return 'none'
      if (permission?.state === 'denied') return 'blocked'
      // Browsers that cannot report this permission ask the user when the camera is started.
      return permission?.state === 'granted' || (isOn && !permission) ? 'works' : 'unknown'
    }

    async function watch() {
      const permission = await navigator.permissions?.query({ name: 'camera' as PermissionName }).catch(() => undefined)
      const update = async () => {
        const next = await read(permission).catch(() => 'unknown' as const)
        if (!controller.signal.aborted) setState(next)
      }
      permission?.addEventListener('change', update, { signal: controller.signal })
      await update()
    }
    void watch()
    return () => controller.abort()
  }, [isOn])
  return state
}
