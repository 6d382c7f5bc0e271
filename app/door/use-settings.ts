/** The device settings. They are in local storage, so that they survive a reload. */
import { useEffect, useEffectEvent, useState } from 'react'

export type Settings = { pageId: string; device: string }

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
 * @param pageIds the existing events: a stored event that no longer exists would reject every ticket
 * @param firstPageId the event that is selected first; empty for all events
 */
export function useSettings(pageIds: string[], firstPageId: string): [Settings, (change: Partial<Settings>) => void] {
  const [settings, setSettings] = useState<Settings>({ pageId: firstPageId, device: '' })
  const restore = useEffectEvent(() => {
    const { pageId = '', device = '' } = readSettings()
    setSettings({ pageId: pageIds.includes(pageId) ? pageId : firstPageId, device })
  })
  useEffect(() => restore(), [])
  const change = (part: Partial<Settings>) => {
    const next = { ...settings, ...part }
    setSettings(next)
    try {
      window.localStorage.setItem(STORAGE_KEY, JSON.stringify(next))
    } catch {
      // If storage is unavailable, the settings last until the page is closed.
    }
  }
  return [settings, change]
}
