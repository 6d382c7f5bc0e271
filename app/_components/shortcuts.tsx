'use client'
/** The dashboard's keyboard shortcuts, and the button for listing them. The list is lazy-loaded. */
import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useState } from 'react'
import { closeMenu } from './close-menu'
import { isTyping } from './is-typing'
import { loadOrWarn, onDemand } from './on-demand'

const ShortcutsDialog = onDemand(() => import('./shortcuts-dialog').then((module) => module.default))

/** The pages opened by `g` followed by a letter. */
const PATHS: Record<string, string> = {
  o: '/overview',
  p: '/payments',
  b: '/bookings',
  s: '/subscriptions',
  c: '/customers',
  t: '/tickets',
}

/** The maximum time between pressing `g` and the letter. */
const PREFIX_TIMEOUT_MS = 1500

const clickById = (id: string) => document.getElementById(id)?.click()

export function Shortcuts({ className, label }: { className: string; label: string }) {
  const router = useRouter()
  const [open, setOpen] = useState<boolean>()
  const show = () => loadOrWarn(ShortcutsDialog.load).then((isLoaded) => isLoaded && setOpen(true))

  /** Runs a key's shortcut. Returns whether the key has one. `isAfterG` is true if `g` was pressed just before. */
  const run = useEffectEvent((key: string, isAfterG: boolean): boolean => {
    const path = isAfterG ? PATHS[key] : undefined
    if (path) router.push(path)
    else if (key === '?') show()
    else if (key === '\\') clickById('collapse')
    else if (key === '/' && !document.querySelector('input[type=search]')) clickById('palette')
    else return false
    return true
  })

  useEffect(() => {
    let prefixExpiresAt = 0
    const onKey = (event: KeyboardEvent) => {
      const { key, timeStamp, target, ctrlKey, metaKey, altKey, repeat } = event
      // Many keyboards type a backslash with AltGr, which is Ctrl+Alt, or with Option, which is Alt.
      if (metaKey || repeat || isTyping(target) || (ctrlKey !== altKey && !(altKey && key === '\\'))) return
      const isAfterG = timeStamp < prefixExpiresAt
      prefixExpiresAt = key === 'g' ? timeStamp + PREFIX_TIMEOUT_MS : 0
      if (!run(key, isAfterG)) return
      event.preventDefault()
      // The shortcuts of the page must not handle the letter after `g`.
      event.stopPropagation()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])

  return (
    <>
      <button
        type="button"
        className={className}
        aria-haspopup="dialog"
        onClick={(event) => {
          closeMenu(event)
          show()
        }}
      >
        {label}
        <kbd aria-hidden className="ml-auto rounded border border-line px-1 font-sans text-quiet text-xs">
          ?
        </kbd>
      </button>
      {open === undefined ? null : <ShortcutsDialog open={open} onOpenChange={setOpen} />}
    </>
  )
}
