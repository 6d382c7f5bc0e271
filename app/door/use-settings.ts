/** What a device is set to, chosen once and kept on it: a reload in a queue must not lose it. */
import { useEffect, useEffectEvent, useState } from 'react'

export type Settings = { pageId: string; device: string }

const KEPT = 'checkout-desk:door'

function readKept(): Partial<Settings> {
  try {
    return JSON.parse(window.localStorage.getItem(KEPT) ?? '{}') as Partial<Settings>
  } catch {
    // A browser that keeps nothing, or kept something else: the door starts as a new one.
    return {}
  }
}

/** @param pageIds the events there are: a kept one that is gone would refuse every ticket */
export function useSettings(pageIds: string[]): [Settings, (change: Partial<Settings>) => void] {
  const [settings, setSettings] = useState<Settings>({ pageId: '', device: '' })
  const restore = useEffectEvent(() => {
    const { pageId = '', device = '' } = readKept()
    setSettings({ pageId: pageIds.includes(pageId) ? pageId : '', device })
  })
  useEffect(() => restore(), [])
  const change = (part: Partial<Settings>) => {
    const next = { ...settings, ...part }
    setSettings(next)
    try {
      window.localStorage.setItem(KEPT, JSON.stringify(next))
    } catch {
      // It holds until the page is left.
    }
  }
  return [settings, change]
}
