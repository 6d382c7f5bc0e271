'use client'
/** Search and filters of a list. Their only state is the URL, which uses the API's parameter names. */
import { useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useState, useTransition } from 'react'
import { Icon } from './icon'

/** A filter by the query parameter `name`; `any` labels the choice without a filter. */
export type Filter = { name: string; label: string; any: string; choices: { value: string; label: string }[] }

const DEBOUNCE_MS = 250

/** The parameters with a date field: the first and the last day. */
const FIELDS = new Set(['created[gte]', 'created[lte]'])
const DATE = /^\d{4}-\d\d-\d\d$/

/** `bounds` labels each date parameter. */
type Dates = { bounds: Record<string, string>; remove: string }
/** `copy` and `dates` are props, so that the browser does not load the texts of other pages. */
type Props = { path: string; copy: { search: string; hint: string }; filters: Filter[]; dates?: Dates }

export function Toolbar({ path, copy, filters, dates }: Props) {
  const router = useRouter()
  const params = useSearchParams()
  const [pending, startTransition] = useTransition()
  const inUrl = params.get('search') ?? ''
  const [search, setSearch] = useState(inUrl)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(inUrl)

  /** Sets a filter and removes the cursor, which belongs to the previous list. */
  function go(name: string, value: string, replace = false) {
    const next = new URLSearchParams(params)
    next.delete('starting_after')
    next.delete('ending_before')
    if (value) next.set(name, value)
    else next.delete(name)
    const query = next.toString()
    startTransition(() => router[replace ? 'replace' : 'push'](query ? `${path}?${query}` : path, { scroll: false }))
  }

  // Debounced. The router discards earlier navigations, so results never arrive out of order.
  const send = useEffectEvent((typed: string) => {
    sent.current = typed
    go('search', typed, true)
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
        className="field min-w-0 grow basis-full sm:basis-68 sm:grow-0"
        aria-label={copy.search}
        placeholder={copy.hint}
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.target.value)}
      />
      {filters.map(({ name, label, any, choices }) => (
        <select
          key={name}
          className="field min-w-0 max-w-56 grow basis-32 sm:grow-0 sm:basis-auto"
          aria-label={label}
          value={params.get(name) ?? ''}
          onChange={(event) => go(name, event.target.value)}
        >
          <option value="">{any}</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      ))}
      {Object.entries(dates?.bounds ?? {}).map(([name, label]) => {
        const value = params.get(name) ?? ''
        const isField = FIELDS.has(name) && (value === '' || DATE.test(value))
        if (isField) {
          return (
            <label key={name} className="field flex min-w-0 grow items-center gap-2 sm:grow-0">
              <span className="text-quiet">{label}</span>
              <input
                type="date"
                className="min-w-0 grow bg-transparent"
                max="9999-12-31"
                value={value}
                onChange={(event) => go(name, event.target.value)}
              />
            </label>
          )
        }
        // Other bounds come from a link, such as that of an API request.
        return value === '' ? null : (
          <button key={name} type="button" className="button" title={dates?.remove} onClick={() => go(name, '')}>
            {`${label} ${value}`}
            <Icon name="close" />
          </button>
        )
      })}
    </search>
  )
}
