/** The device settings. They are kept in local storage, so that they survive a reload. */
import { useEffect, useEffectEvent, useState } from 'react'

export type Settings = {
  /** The ID of the selected event; empty for all events. */
  pageId: string
  /** The name that the user has entered for the device; may be empty. */
  device: string
  /** Whether the person at the door has left the start screen. */
  hasStarted: boolean
  isMuted: boolean
  /** Whether scans check guests out. */
  scansOut: boolean
  /** Undefined until the person at the door chooses; until then, only touch screens use the camera. */
  usesCamera?: boolean | undefined
}

const STORAGE_KEY = 'checkout-desk:door'

function readSettings(): Partial<Settings> {
  try {
    return JSON.parse(window.localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<Settings>
  } catch {
    // If storage is unavailable or its content is invalid, use the defaults.
    return {}
  }
}

/**
 * Reads the settings after the first render, because only the browser has them.
 *
 * @param pageIds the IDs of the events that can be selected. Any other stored event is ignored, because every ticket would be rejected
 * @param firstPageId the event that is selected first; empty for all events
 * @returns the settings, undefined until they are read, and a function that changes them
 */
export function useSettings(pageIds: string[], firstPageId: string): [Settings | undefined, (change: Partial<Settings>) => void] {
  const [settings, setSettings] = useState<Settings>()
  const restore = useEffectEvent(() => {
    const { pageId = '', device = '', hasStarted = false, isMuted = false, scansOut = false, usesCamera } = readSettings()
    setSettings({ pageId: pageIds.includes(pageId) ? pageId : firstPageId, device, hasStarted, isMuted, scansOut, usesCamera })
  })
  useEffect(() => restore(), [])
  const change = (part: Partial<Settings>) => {
    if (!settings) return
    const next = { ...settings, ...part }
    setSettings(next)
    try {
      window.localStorage.setItem(STORAGE_KEY, JSON.stringify(next))
    } catch {
      // If storage is unavailable, the settings last until the page is closed or reloaded.
    }
  }
  return [settings, change]
}
