/** The menu: the device's name, preview mode, check-out, sound, event, offline mode, and the account. */
import { type ReactNode, useState } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import { doorCopy } from '../copy/door'
import { focusOnMount, returnFocus } from './focus'
import type { Settings } from './use-settings'

type Props = {
  sellerName: string
  /** The fixed name of a check-in device; undefined for users. */
  deviceName: string | undefined
  settings: Settings
  change: (part: Partial<Settings>) => void
  mayCheckOut: boolean
  isPreviewMode: boolean
  onPreviewMode: (isPreviewMode: boolean) => void
  /** Makes this browser a device that works offline; undefined if it already is one or cannot become one. */
  onEnroll: (() => Promise<void>) | undefined
  /** Signs the user out. Resolves with an error message if this fails. Undefined on devices without a user. */
  onSignOut: (() => Promise<string | undefined>) | undefined
  /** The number of unsent scans, for the warning before signing out. */
  unsent: number
  /** The theme choice and the account links. */
  children: ReactNode
}

const ROW = 'flex min-h-16 items-center gap-3 border-line border-b'

export function DoorMenu({
  sellerName,
  deviceName,
  settings,
  change,
  mayCheckOut,
  isPreviewMode,
  onPreviewMode,
  onEnroll,
  onSignOut,
  unsent,
  children,
}: Props) {
  /** Whether the confirmation is shown; undefined before it has been shown. */
  const [isConfirming, setConfirming] = useState<boolean>()
  const [isPending, setPending] = useState(false)
  const [signOutError, setSignOutError] = useState<string>()
  const run = (work: () => Promise<void>) => () => {
    setPending(true)
    void work().finally(() => setPending(false))
  }
  return (
    <div className="flex flex-col">
      <p className="text-quiet text-sm">{deviceName === undefined ? sellerName : `${sellerName} · ${deviceName}`}</p>
      {deviceName === undefined ? (
        <label className="flex flex-col gap-1 border-line border-b py-3 text-sm">
          {doorCopy.device}
          <input
            className="field h-16 text-base"
            placeholder={doorCopy.deviceHint}
            autoComplete="off"
            maxLength={64}
            value={settings.device}
            onChange={(event) => change({ device: event.target.value })}
          />
        </label>
      ) : null}
      <label className={ROW}>
        <input type="checkbox" className="size-6" checked={isPreviewMode} onChange={(event) => onPreviewMode(event.target.checked)} />
        {doorCopy.previewMode}
      </label>
      {mayCheckOut ? (
        <label className={ROW}>
          <input
            type="checkbox"
            className="size-6"
            checked={settings.scansOut}
            onChange={(event) => change({ scansOut: event.target.checked })}
          />
          {doorCopy.checkOut}
        </label>
      ) : null}
      <label className={ROW}>
        <input
          type="checkbox"
          className="size-6"
          checked={!settings.isMuted}
          onChange={(event) => change({ isMuted: !event.target.checked })}
        />
        {doorCopy.sound}
      </label>
      <button type="button" className={ROW} onClick={() => change({ hasStarted: false })}>
        {deviceName === undefined ? doorCopy.restart : doorCopy.changeEvent}
      </button>
      {onEnroll ? (
        <PendingButton className={ROW} pending={isPending} onClick={run(onEnroll)}>
          {doorCopy.start.enroll}
        </PendingButton>
      ) : null}
      {children}
      {onSignOut && !isConfirming ? (
        <button
          ref={isConfirming === undefined ? undefined : returnFocus}
          type="button"
          className={ROW}
          onClick={() => {
            setSignOutError(undefined)
            setConfirming(true)
          }}
        >
          {doorCopy.signOut}
        </button>
      ) : null}
      {onSignOut && isConfirming ? (
        <div className="flex flex-col gap-2 py-3">
          <p>{doorCopy.signOutHint(unsent)}</p>
          <p role="alert" className="text-bad empty:hidden">
            {signOutError}
          </p>
          <div className="grid grid-cols-2 gap-2">
            <button ref={focusOnMount} type="button" className="button h-16 scroll-mb-4 text-base" onClick={() => setConfirming(false)}>
              {doorCopy.cancel}
            </button>
            <PendingButton
              className="button-danger h-16 text-base"
              pending={isPending}
              onClick={run(() => onSignOut().then(setSignOutError))}
            >
              {doorCopy.signOut}
            </PendingButton>
          </div>
        </div>
      ) : null}
    </div>
  )
}
