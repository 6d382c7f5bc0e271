'use client'
/** Which columns of a table are shown: at once here, and kept on the server for the person who chose. */
import { useRouter } from 'next/navigation'
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from 'react'
import type { ResourceName } from '@/lib/records'
import { Icon } from './icon'

export type ColumnChoice = { key: string; label: string; shown: boolean }

/** Handed over, for the whole dictionary need not cross to the browser. */
export type ColumnsWords = { columns: string; notKept: string }

type Shown = Record<string, boolean>
type Held = { shown: Shown; failed: boolean; choose: (key: string, shown: boolean) => void }

const Context = createContext<Held>({ shown: {}, failed: false, choose: () => {} })

export const useColumns = () => useContext(Context)

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

type ProviderProps = { resource: ResourceName /** As the server knows it: every column's key. */; kept: Shown; children: ReactNode }

export function ColumnsProvider({ resource, kept, children }: ProviderProps) {
  const router = useRouter()
  const [changes, setChanges] = useState<Shown>({})
  const [failed, setFailed] = useState(false)

  const held = useMemo(() => {
    async function choose(key: string, shown: boolean) {
      setChanges((before) => ({ ...before, [key]: shown }))
      const done = await keep(resource, { [key]: shown })
      setFailed(!done)
      // The pages that Back and Forward hold were rendered with the earlier choice.
      if (done) router.refresh()
    }
    return { shown: { ...kept, ...changes }, failed, choose }
  }, [kept, changes, failed, resource, router])

  return <Context value={held}>{children}</Context>
}

const ColumnsMenu = lazy(() => import('./columns-menu'))

/** The menu's own code comes with the first press. */
export function ColumnsButton({ columns, words }: { columns: { key: string; label: string }[]; words: ColumnsWords }) {
  const { shown, failed, choose } = useColumns()
  const [wanted, setWanted] = useState(false)
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
        choices={columns.map(({ key, label }) => ({ key, label, shown: shown[key] ?? false }))}
        choose={choose}
        complaint={failed ? words.notKept : undefined}
      >
        {content}
      </ColumnsMenu>
    </Suspense>
  )
}
