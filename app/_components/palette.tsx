'use client'
/** Opens the command palette with a button or Ctrl+K. Its code is loaded on first use. */
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { paletteCopy } from '../copy/palette'
import { Icon } from './icon'
import type { PaletteList } from './palette-dialog'

const PaletteDialog = lazy(() => import('./palette-dialog'))

const noChanges = () => () => {}

const readShortcut = () => (/^(Mac|iP)/.test(navigator.platform) ? paletteCopy.macShortcut : paletteCopy.shortcut)

/** @param settings whether the user can open the settings */
export function Palette({ lists, settings }: { lists: PaletteList[]; settings: boolean }) {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const shortcut = useSyncExternalStore(noChanges, readShortcut, () => paletteCopy.shortcut)

  function change(next: boolean) {
    setOpen(next)
    if (next) setWanted(true)
  }

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      // Some browsers use the same shortcut for web search.
      event.preventDefault()
      setWanted(true)
      setOpen((before) => !before)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  return (
    <>
      <button type="button" className="button h-8 text-quiet" aria-keyshortcuts="Meta+K Control+K" onClick={() => change(true)}>
        <Icon name="search" />
        <span className="max-sm:sr-only">{paletteCopy.open}</span>
        <kbd aria-hidden className="hidden rounded border border-line px-1 font-sans text-xs sm:inline">
          {shortcut}
        </kbd>
      </button>
      {wanted ? (
        <Suspense>
          <PaletteDialog open={open} onOpenChange={change} lists={lists} settings={settings} />
        </Suspense>
      ) : null}
    </>
  )
}
