'use client'
/** The link that exports a table, or the choice between the layouts of the file. Without JavaScript, and for short tables, the browser downloads it. */
import { type MouseEvent, useEffect, useRef } from 'react'
import { Icon } from '@/app/_components/icon'

/** The number of rows from which an export shows its progress. */
const LONG = 5_000

export type ExportChoice = { href: string; text: string; hint: string }

type Props = { label: string; title: string; rows: number; choices: ExportChoice[] }

/** Exports a long table with its progress. Clicks with a modifier key are left to the browser. */
function onExport(event: MouseEvent<HTMLAnchorElement>, rows: number) {
  if (rows < LONG || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { href } = event.currentTarget
  // The code is loaded on first use.
  import('./export-progress').then(
    ({ startExport }) => startExport(href, rows),
    // A deployment may have removed the script.
    () => window.location.assign(href),
  )
}

export function ExportMenu({ label, title, rows, choices }: Props) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const onPress = ({ target }: PointerEvent) => {
      if (menu.current?.open && target instanceof Node && !menu.current.contains(target)) menu.current.open = false
    }
    document.addEventListener('pointerdown', onPress)
    return () => document.removeEventListener('pointerdown', onPress)
  }, [])
  /** Closes the menu, and returns the focus to its button. */
  function close() {
    if (!menu.current?.open) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }

  const [only, ...others] = choices
  if (only && others.length === 0) {
    return (
      <a className="button" href={only.href} title={title} download onClick={(event) => onExport(event, rows)}>
        <Icon name="download" />
        {label}
      </a>
    )
  }
  return (
    <details ref={menu} className="relative" onKeyDown={({ key }) => key === 'Escape' && close()}>
      <summary className="button w-full cursor-pointer list-none" title={title}>
        <Icon name="download" />
        {label}
        <Icon name="down" size={12} />
      </summary>
      <div className="absolute top-10 right-0 z-20 w-72 rounded-lg border border-line bg-card p-1 shadow-lg">
        {choices.map(({ href, text, hint }) => (
          <a
            key={text}
            href={href}
            download
            className="block rounded-md px-3 py-2 text-sm hover:bg-hover"
            onClick={(event) => {
              onExport(event, rows)
              close()
            }}
          >
            {text}
            <span className="block text-quiet text-xs">{hint}</span>
          </a>
        ))}
      </div>
    </details>
  )
}
