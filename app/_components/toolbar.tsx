'use client'
/** Search and filters of a list. Their only state is the URL. */
import { useRouter, useSearchParams } from 'next/navigation'
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState, useTransition } from 'react'
import type { FilterCopy } from '@/app/copy/list'
import { appliedText, type Changes, type ChipProps, type Filter, namesOf } from './filter'
import { Icon } from './icon'
import { PEEK } from './peek-param'
import { NO_CURSOR } from './with-params'

const DEBOUNCE_MS = 100

const FilterPopover = lazy(() => import('./filter-popover'))

/** `copy` and `filterCopy` are props, so that the browser does not load the texts of other pages. */
type Props = { path: string; copy: { search: string; hint: string }; filters: Filter[]; filterCopy?: FilterCopy }

export function Toolbar({ path, copy, filters, filterCopy }: Props) {
  const router = useRouter()
  const params = useSearchParams()
  const [pending, startTransition] = useTransition()
  const inUrl = params.get('search') ?? ''
  const [search, setSearch] = useState(inUrl)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(inUrl)

  /** Sets parameters, and removes the cursor and the drawer's record, which belong to the previous list. */
  function go(changes: Changes, replace = false) {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries({ ...changes, ...NO_CURSOR, [PEEK]: undefined })) {
      if (value) next.set(name, value)
      else next.delete(name)
    }
    // Amounts are sorted within one currency.
    if (!next.has('currency') && next.get('sort')?.endsWith('amount')) next.delete('sort')
    const query = next.toString()
    startTransition(() => router[replace ? 'replace' : 'push'](query ? `${path}?${query}` : path, { scroll: false }))
  }

  // Debounced. The router discards earlier navigations, so results never arrive out of order.
  const send = useEffectEvent((typed: string) => {
    sent.current = typed
    go({ search: typed }, true)
  })
  useEffect(() => {
    if (search === sent.current) return
    const timer = setTimeout(() => send(search), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [search])

  // Back and Forward change the URL: update the field.
  useEffect(() => {
    if (inUrl === sent.current) return
    sent.current = inUrl
    setSearch(inUrl)
  }, [inUrl])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as HTMLElement).tagName)) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  return (
    <search className="flex min-w-0 grow flex-wrap gap-2" aria-busy={pending}>
      <input
        ref={input}
        type="search"
        className="field min-w-0 grow basis-full sm:basis-44 sm:grow-0"
        aria-label={copy.search}
        placeholder={copy.hint}
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.target.value)}
      />
      {filters.map((filter) => {
        if (filter.kind === 'one') {
          return (
            <select
              key={filter.name}
              className="field min-w-0 max-w-56 grow basis-32 sm:grow-0 sm:basis-auto"
              aria-label={filter.label}
              value={params.get(filter.name) ?? ''}
              onChange={(event) => go({ [filter.name]: event.target.value })}
            >
              <option value="">{filter.any}</option>
              {filter.choices.map((choice) => (
                <option key={choice.value} value={choice.value}>
                  {choice.label}
                </option>
              ))}
            </select>
          )
        }
        return filterCopy ? <Chip key={filter.label} filter={filter} path={path} params={params} copy={filterCopy} go={go} /> : null
      })}
    </search>
  )
}

/** A filter as a button that opens its choices, whose code is loaded on the first click. If applied, it shows the value and can be removed. */
function Chip(props: ChipProps) {
  const { filter, params, copy, go } = props
  const [wanted, setWanted] = useState(false)
  const applied = appliedText(filter, params, copy)
  const style = `button max-w-72 ${applied ? 'rounded-r-none border-r-0 bg-idle-soft' : 'border-dashed'}`
  const content = (
    <>
      {filter.label}
      {applied ? <span className="min-w-0 truncate font-medium">{applied}</span> : <Icon name="down" size={12} />}
    </>
  )
  const button = (
    <button type="button" className={style} aria-haspopup="dialog" onClick={() => setWanted(true)}>
      {content}
    </button>
  )
  return (
    <span className="flex min-w-0">
      {wanted ? (
        <Suspense fallback={button}>
          <FilterPopover {...props} style={style}>
            {content}
          </FilterPopover>
        </Suspense>
      ) : (
        button
      )}
      {applied ? (
        <button
          type="button"
          className="button rounded-l-none bg-idle-soft px-2"
          aria-label={`${copy.remove} ${filter.label}`}
          title={copy.remove}
          onClick={() => go(Object.fromEntries(namesOf(filter).map((name) => [name, undefined])))}
        >
          <Icon name="close" />
        </button>
      ) : null}
    </span>
  )
}
