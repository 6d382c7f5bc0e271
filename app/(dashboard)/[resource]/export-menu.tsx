'use client'
/** The link for exporting a table, or a menu if there are several layouts. Short exports are plain downloads; long ones show progress. */
import type { MouseEvent } from 'react'
import { Icon } from '@/app/_components/icon'
import { Menu } from '@/app/_components/menu'

/** Exports of at least this many rows show their progress. */
const MIN_PROGRESS_ROWS = 5_000

/** An export layout. */
export type ExportChoice = { href: string; text: string; hint: string }

type Props = {
  label: string
  title: string
  /** The number of rows in an export. */
  rows: number
  choices: ExportChoice[]
}

/** Starts a long export and shows its progress. Leaves short exports, and clicks with a modifier key, to the browser. */
function onExport(event: MouseEvent<HTMLAnchorElement>, rows: number) {
  if (rows < MIN_PROGRESS_ROWS || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { href } = event.currentTarget
  import('./export-progress').then(
    ({ startExport }) => startExport(href, rows),
    // If a deployment has removed the script, the browser downloads the file without showing progress.
    () => window.location.assign(href),
  )
}

/** Renders a link or a menu button with the ID `export`, which the shortcut `e` clicks. */
export function ExportMenu({ label, title, rows, choices }: Props) {
  const [only, ...others] = choices
  if (only && others.length === 0) {
    return (
      <a id="export" className="button" href={only.href} title={title} download onClick={(event) => onExport(event, rows)}>
        <Icon name="download" />
        <span className="max-sm:sr-only">{label}</span>
      </a>
    )
  }
  return (
    <Menu
      id="export"
      title={title}
      width="w-72"
      button={
        <>
          <Icon name="download" />
          <span className="max-sm:sr-only">{label}</span>
          <Icon name="down" size={12} />
        </>
      }
    >
      {choices.map(({ href, text, hint }) => (
        <a key={text} href={href} download className="block rounded-md px-3 py-2 hover:bg-hover" onClick={(event) => onExport(event, rows)}>
          {text}
          <span className="block text-quiet text-xs">{hint}</span>
        </a>
      ))}
    </Menu>
  )
}
