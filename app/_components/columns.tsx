'use client'
/** The button for showing and hiding table columns. The choice is stored per user, and the server re-renders the table. */
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { controlsCopy as copy } from '../copy/table-controls'
import type { ColumnChoice, SaveFailure } from './columns-menu'
import { Icon } from './icon'
import { loadOrWarn, onDemand } from './on-demand'

/** The last request for each column. The next one waits for it, because the server could otherwise receive them out of order. */
const requests: Record<string, Promise<SaveFailure | undefined>> = {}

/** Saves a choice. Returns why it was not saved, or undefined. */
async function save(table: string, key: string, shown: boolean): Promise<SaveFailure | undefined> {
  await requests[key]
  try {
    const response = await fetch(`/${table}/columns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ shown: { [key]: shown } }),
      // The request completes even if the user leaves the page.
      keepalive: true,
    })
    if (response.ok) return undefined
    // For example, if another user has signed in: trying again would not help.
    return response.status < 500 ? { message: (await response.json()).message } : {}
  } catch {
    return {}
  }
}

const ColumnsMenu = onDemand(() => import('./columns-menu').then((module) => module.default))

type Props = { table: string; columns: ColumnChoice[] }

/** Opens the columns menu, which is lazy-loaded. */
export function ColumnsButton({ table, columns }: Props) {
  const router = useRouter()
  // Optimistic updates: the menu shows each choice before it is saved.
  const [chosen, setChosen] = useState<Record<string, boolean | undefined>>({})
  const [failure, setFailure] = useState<SaveFailure>()
  const [hasOpened, setHasOpened] = useState(false)

  async function choose(key: string, shown: boolean) {
    setChosen((before) => ({ ...before, [key]: shown }))
    requests[key] = save(table, key, shown)
    const newFailure = await requests[key]
    setFailure(newFailure)
    if (newFailure) setChosen((before) => ({ ...before, [key]: undefined }))
    else router.refresh()
  }

  const content = (
    <>
      <Icon name="columns" />
      <span className="max-sm:sr-only lg:max-2xl:sr-only">{copy.columns}</span>
    </>
  )
  const button = (
    <button
      type="button"
      className="button"
      aria-haspopup="menu"
      onPointerEnter={ColumnsMenu.load}
      onFocus={ColumnsMenu.load}
      onClick={() => loadOrWarn(ColumnsMenu.load).then(setHasOpened)}
    >
      {content}
    </button>
  )
  if (!hasOpened) return button
  return (
    <ColumnsMenu
      choices={columns.map((column) => ({ ...column, shown: chosen[column.key] ?? column.shown }))}
      choose={choose}
      failure={failure}
    >
      {content}
    </ColumnsMenu>
  )
}
