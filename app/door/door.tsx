'use client'
/** The check-in page: the start screen, then the scanner. */
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { doorCopy } from '../copy/door'
import { signInCopy } from '../copy/sign-in'
import { signOut } from './door-client'
import { enrollSelf } from './enroll/enroll-self'
import { chooseCounts } from './last-counts'
import { applyCountChanges, sumCountChanges } from './offline/count-changes'
import { type PageData, Scanner } from './scanner'
import { StartScreen } from './start-screen'
import { useDeviceName } from './use-device-name'
import { type BrowserState, useOffline } from './use-offline'
import { useSettings } from './use-settings'

type Props = PageData & {
  browser: BrowserState
  /** The name of this browser's device; undefined if no user has made the browser a device. */
  browserName: string | undefined
}

export function Door(props: Props) {
  const { sellerId, sellerName, counts, deviceName, timeZone, browser } = props
  const { firstPageId, events } = counts
  const allowsAll = firstPageId === ''
  const [settings, change] = useSettings(
    events.map(({ id }) => id),
    firstPageId,
  )
  const offlineDevice = useOffline(browser)
  useDeviceName(settings?.device ?? '', props.browserName, offlineDevice?.status?.isOffline ?? false)
  const [notice, setNotice] = useState<string>()
  const router = useRouter()
  // The settings are stored in the browser. Until they are loaded, the page is empty.
  if (!settings) return <main className="h-dvh" />

  const offline = browser === 'offline' || browser === 'ended' ? offlineDevice : undefined
  const mayEnroll = window.isSecureContext && (browser === 'none' || browser === 'ended')
  async function enroll(name: string): Promise<void> {
    try {
      const { reportUnsent } = await import('./offline/open-engine')
      if ((await reportUnsent()) > 0) {
        setNotice(doorCopy.start.unsentError)
        return
      }
      const error = await enrollSelf(name)
      setNotice(error)
      // Renders the page again, because this browser is now a device.
      if (error === undefined) router.refresh()
    } catch {
      setNotice(doorCopy.start.enrollError)
    }
  }
  /**
   * Signs the user out, and then deletes the list, which a user needs as long as they are signed in. Leaves the page last, because leaving
   * it would abort the deletion. Returns an error message if signing out fails.
   */
  async function leave(): Promise<string | undefined> {
    if (!navigator.onLine || offline?.status?.isOffline) return signInCopy.signOutOffline
    if (!(await signOut())) return signInCopy.signOutError
    // If the list cannot be deleted, it is still encrypted.
    await offline?.wipe().catch(() => {})
    window.location.assign('/sign-in')
    return undefined
  }
  if (!settings.hasStarted) {
    return (
      <StartScreen
        sellerName={sellerName}
        events={events}
        countEvent={(id) => applyCountChanges(chooseCounts(sellerId, id, counts).turnout, sumCountChanges(offline?.status, id))}
        allowsAll={allowsAll}
        deviceName={deviceName}
        timeZone={timeZone}
        settings={settings}
        offline={offline}
        mayEnroll={mayEnroll}
        onStart={async (chosen, shouldEnroll) => {
          if (shouldEnroll) await enroll(chosen.device)
          change({ ...chosen, hasStarted: true })
        }}
      />
    )
  }
  return (
    <Scanner
      {...props}
      allowsAll={allowsAll}
      settings={settings}
      change={change}
      offline={offline}
      notice={notice}
      onEnroll={mayEnroll ? () => enroll(settings.device) : undefined}
      onSignOut={deviceName === undefined ? leave : undefined}
    />
  )
}
