'use client'
/** Which columns of a table are shown: kept on the server for the person who chose, which then sends the table anew. */
import { useRouter } from 'next/navigation'
import { lazy, Suspense, useState } from 'react'
import type { ResourceName } from '@/lib/catalog'
import type { ColumnChoice } from './column-choice'
import { Icon } from './icon'

/** Handed over, for the whole dictionary need not cross to the browser. */
export type ColumnsWords = { columns: string; notKept: string }

type Shown = Record<string, boolean>
async function keep(resource: ResourceName, shown: Shown): Promise<boolean> {
  try {
    const response = await fetch(`/${resource}/columns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ shown }),
      // Sent whole even where the page is left in this moment.
      keepalive: true,
    })
    return response.ok
  } catch {
    return false
  }
}

const ColumnsMenu = lazy(() => import('./columns-menu'))

type Props = { resource: ResourceName; columns: ColumnChoice[]; words: ColumnsWords }

/** The menu's own code comes with the first press. */
export function ColumnsButton({ resource, columns, words }: Props) {
  const router = useRouter()
  // What was chosen here counts in the menu at once.
  const [chosen, setChosen] = useState<Shown>({})
  const [failed, setFailed] = useState(false)
  const [wanted, setWanted] = useState(false)

  async function choose(key: string, shown: boolean) {
    setChosen((before) => ({ ...before, [key]: shown }))
    const done = await keep(resource, { [key]: shown })
    setFailed(!done)
    if (done) router.refresh()
    else setChosen((before) => ({ ...before, [key]: !shown }))
  }

  const content = (
    <>
      <Icon name="columns" />
      {words.columns}
    </>
  )
  const button = (
    <button type="button" className="button" aria-haspopup="menu" onClick={() => setWanted(true)}>
      {content}
    </button>
  )
  if (!wanted) return button
  return (
    <Suspense fallback={button}>
      <ColumnsMenu
        choices={columns.map((column) => ({ ...column, shown: chosen[column.key] ?? column.shown }))}
        choose={choose}
        complaint={failed ? words.notKept : undefined}
      >
        {content}
      </ColumnsMenu>
    </Suspense>
  )
}
