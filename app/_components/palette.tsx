'use client'
/** Opens the command palette with a button or Ctrl+K. The palette's code is loaded after the user's first interaction with the page. */
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { paletteButtonCopy } from '../copy/palette-button'
import { Icon } from './icon'
import { isBlocked } from './is-typing'
import { loadOrWarn, onDemand } from './on-demand'
import type { PaletteLink, PaletteList } from './palette-dialog'

const PaletteDialog = onDemand(() => import('./palette-dialog').then((module) => module.default))

const noChanges = () => () => {}

const readShortcut = () => (/^(Mac|iP)/.test(navigator.platform) ? paletteButtonCopy.macShortcut : paletteButtonCopy.shortcut)

/** The interactions that start loading the palette. Loading it earlier would delay the page itself. */
const PRELOAD_EVENTS = ['pointermove', 'pointerdown', 'keydown'] as const

/** Loads the palette when the browser is idle. Safari has no idle callbacks. */
const loadWhenIdle = () => (window.requestIdleCallback ?? setTimeout)(PaletteDialog.load)

/** @param links the pages and actions that the palette finds in addition to records */
export function Palette({ lists, links }: { lists: PaletteList[]; links: PaletteLink[] }) {
  const [open, setOpen] = useState(false)
  const [hasOpened, setHasOpened] = useState(false)
  const [input, setInput] = useState('')
  const shortcut = useSyncExternalStore(noChanges, readShortcut, () => paletteButtonCopy.shortcut)

  function change(next: boolean) {
    setOpen(next)
    if (!next) return
    setInput('')
    void loadOrWarn(PaletteDialog.load).then((isLoaded) => (isLoaded ? setHasOpened(true) : setOpen(false)))
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, metaKey, ctrlKey, altKey, shiftKey, target } = event
    const isInDialog = target instanceof Element && target.closest('[role=dialog]')
    const isShortcut = key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey && !shiftKey
    // The palette never replaces another dialog, because that dialog may contain a secret shown only once.
    if (isShortcut && (open || !isBlocked())) change(!open)
    // Characters typed before the field appears are added to its value.
    else if (open && !isInDialog && [...key].length === 1 && !metaKey && !ctrlKey) setInput((before) => before + key)
    else if (!isShortcut) return
    // Some browsers use the same shortcut for web search.
    event.preventDefault()
    event.stopPropagation()
  })

  useEffect(() => {
    document.addEventListener('keydown', onKey, true)
    for (const type of PRELOAD_EVENTS) document.addEventListener(type, loadWhenIdle, { once: true })
    return () => {
      document.removeEventListener('keydown', onKey, true)
      for (const type of PRELOAD_EVENTS) document.removeEventListener(type, loadWhenIdle)
    }
  }, [])

  return (
    <>
      <button
        type="button"
        id="palette"
        className="button h-8 text-quiet max-lg:size-11 max-lg:border-transparent max-lg:bg-transparent lg:justify-start lg:px-2 collapsed:justify-center"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={() => change(true)}
      >
        <Icon name="search" size={16} />
        <span className="max-lg:sr-only collapsed:sr-only">{paletteButtonCopy.open}</span>
        <kbd aria-hidden className="ml-auto rounded border border-line px-1 font-sans text-xs max-lg:hidden collapsed:hidden">
          {shortcut}
        </kbd>
      </button>
      {hasOpened ? <PaletteDialog open={open} onOpenChange={change} lists={lists} links={links} input={input} onInput={setInput} /> : null}
    </>
  )
}
