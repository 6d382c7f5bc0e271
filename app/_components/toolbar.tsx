'use client'
/** Search and filters of a list. The URL is their only state, named as in the API. */
import { useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useState, useTransition } from 'react'

/** One that narrows the list by a parameter of this name; `any` is the choice that does not. */
export type Filter = { name: string; label: string; any: string; choices: { value: string; label: string }[] }

const DEBOUNCE_MS = 250

/** @param words that stand on it: handed over, for the whole dictionary need not cross to the browser */
type Props = { path: string; words: { search: string; hint: string }; filters: Filter[] }

export function Toolbar({ path, words, filters }: Props) {
  const router = useRouter()
  const params = useSearchParams()
  const [pending, startTransition] = useTransition()
  const inUrl = params.get('search') ?? ''
  const [search, setSearch] = useState(inUrl)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(inUrl)

  /** A filter begins its list anew: the cursor of another one means nothing in it. */
  function go(name: string, value: string, replace = false) {
    const next = new URLSearchParams(params)
    next.delete('starting_after')
    next.delete('ending_before')
    if (value) next.set(name, value)
    else next.delete(name)
    const query = next.toString()
    startTransition(() => router[replace ? 'replace' : 'push'](query ? `${path}?${query}` : path, { scroll: false }))
  }

  // Typed, then quiet for a moment. A later answer always belongs to a later word: the router drops the earlier one.
  const send = useEffectEvent((typed: string) => {
    sent.current = typed
    go('search', typed, true)
  })
  useEffect(() => {
    if (search === sent.current) return
    const timer = setTimeout(() => send(search), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [search])

  // Back and forward change the URL under the field.
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
        className="field min-w-0 grow basis-full sm:basis-56 sm:grow-0"
        aria-label={words.search}
        placeholder={words.hint}
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
    </search>
  )
}
