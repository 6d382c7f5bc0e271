'use client'
/** The columns menu. It is open when it mounts, because the click that opens it also loads its code. */
import { Menu } from '@base-ui/react/menu'
import { type ReactNode, useRef } from 'react'
import { columnsMenuCopy } from '../copy/columns-menu'
import { Icon } from './icon'

/** A column of a table, and whether it is shown. */
export type ColumnChoice = { key: string; label: string; shown: boolean }

/** Why a choice was not saved. Contains the server's message if the server rejected the choice. */
export type SaveFailure = { message?: string }

type Props = {
  choices: ColumnChoice[]
  choose: (key: string, shown: boolean) => void
  /** Why the last choice was not saved. Undefined if it was. */
  failure: SaveFailure | undefined
  /** The button's content. */
  children: ReactNode
}

export default function ColumnsMenu({ choices, choose, failure, children }: Props) {
  // The menu is rendered inside the main landmark, so that users who navigate by landmarks can find it.
  const containerRef = useRef<HTMLDivElement>(null)
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className="button">{children}</Menu.Trigger>
      <div ref={containerRef} className="contents" />
      <Menu.Portal container={containerRef}>
        <Menu.Positioner align="end" sideOffset={4} className="z-20 outline-none">
          <Menu.Popup className="flex max-h-(--available-height) w-52 flex-col overflow-y-auto rounded-lg border border-line bg-card p-1 shadow-lg outline-none">
            {choices.map(({ key, label, shown }) => (
              <Menu.CheckboxItem
                key={key}
                checked={shown}
                onCheckedChange={(next) => choose(key, next)}
                className="grid cursor-pointer grid-cols-[1rem_1fr] items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover"
              >
                <Menu.CheckboxItemIndicator className="col-start-1">
                  <Icon name="check" />
                </Menu.CheckboxItemIndicator>
                <span className="col-start-2">{label}</span>
              </Menu.CheckboxItem>
            ))}
            <div role="status" className="px-2 py-1 text-bad text-sm wrap-anywhere empty:hidden">
              {failure && (failure.message ?? columnsMenuCopy.notSaved)}
            </div>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
