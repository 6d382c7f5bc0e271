'use client'
/** Renders the messages of `showToast`. A toast library would exceed the script size limit of the table pages. */
import { useEffect, useEffectEvent, useState } from 'react'
import { shellCopy } from '../copy/shell'
import { Icon } from './icon'
import { TOAST, type Toast } from './toast'

const TOAST_DURATION_MS = 5000

type KeyedToast = Toast & { key: number }

export function Toasts() {
  const [toasts, setToasts] = useState<KeyedToast[]>([])
  useEffect(() => {
    let key = 0
    const onToast = (event: Event) => {
      key += 1
      const shown = { ...(event as CustomEvent<Toast>).detail, key }
      setToasts((before) => [...before, shown])
    }
    document.addEventListener(TOAST, onToast)
    return () => document.removeEventListener(TOAST, onToast)
  }, [])
  return (
    <div
      role="status"
      className="fixed right-4 bottom-4 z-40 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 max-lg:bottom-18 print:hidden"
    >
      {toasts.map((toast) => (
        <Message key={toast.key} toast={toast} close={() => setToasts((before) => before.filter(({ key }) => key !== toast.key))} />
      ))}
    </div>
  )
}

/** A message that stays visible while it is hovered or focused, so that its button can be reached. */
function Message({ toast: { text, action }, close }: { toast: Toast; close: () => void }) {
  /** The number of reasons to stay visible: 2 if it is both hovered and focused. */
  const [pins, setPins] = useState(0)
  const pin = () => setPins((count) => count + 1)
  const unpin = () => setPins((count) => count - 1)
  const onTimeout = useEffectEvent(close)
  useEffect(() => {
    if (pins) return
    const timer = setTimeout(() => onTimeout(), TOAST_DURATION_MS)
    return () => clearTimeout(timer)
  }, [pins])
  return (
    <fieldset
      onPointerEnter={pin}
      onPointerLeave={unpin}
      onFocus={pin}
      onBlur={unpin}
      className="flex items-center gap-3 rounded-lg border border-line bg-card py-1.5 pr-1.5 pl-4 text-sm shadow-lg"
    >
      <p className="wrap-anywhere min-w-0 grow py-1">{text}</p>
      {action ? (
        <button
          type="button"
          className="button h-8"
          onClick={() => {
            action.run()
            close()
          }}
        >
          {action.label}
        </button>
      ) : null}
      <button
        type="button"
        aria-label={shellCopy.dismiss}
        className="rounded-md p-2 text-quiet hover:bg-hover hover:text-ink"
        onClick={close}
      >
        <Icon name="close" />
      </button>
    </fieldset>
  )
}
