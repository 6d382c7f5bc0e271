'use client'
/** The search field and the filters of a list. Their state is stored in the URL. */
import { useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useState, useTransition } from 'react'
import { controlsCopy } from '@/app/copy/table-controls'
import { type ChipProps, type DescribedFilter, listParameterNames } from './filter'
import { Icon } from './icon'
import { isTyping } from './is-typing'
import { loadOrWarn, onDemand } from './on-demand'
import { changeQuery, isPushPending } from './pending-query'
import { type Changes, NO_CURSOR } from './with-params'

const DEBOUNCE_MS = 100

const FilterPopover = onDemand(() => import('./filter-popover').then((module) => module.default))

/** `copy` contains the search field's text. */
type Props = { path: string; copy: { search: string; hint: string; members: string }; filters: DescribedFilter[] }

export function Toolbar({ path, copy, filters }: Props) {
  const router = useRouter()
  const params = useSearchParams()
  const [pending, startTransition] = useTransition()
  const urlSearch = params.get('search') ?? ''
  const [search, setSearch] = useState(urlSearch)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(urlSearch)

  /** Changes parameters, and removes the cursor, which belongs to the previous list. */
  function go(changes: Changes, replace = false) {
    const url = changeQuery(path, params, { ...changes, ...NO_CURSOR })
    // Replacing an unfinished push would also drop the history entry that it adds.
    const method = replace && !isPushPending(path) ? 'replace' : 'push'
    startTransition(() => router[method](url, { scroll: false }))
  }

  // The search is debounced. The router discards earlier navigations, so results never arrive out of order.
  const send = useEffectEvent((text: string) => {
    // Cells pasted from a spreadsheet are separated by tabs, which the server rejects.
    sent.current = text.replaceAll('\t', ' ')
    go({ search: sent.current }, true)
  })
  useEffect(() => {
    if (search === sent.current) return
    const timer = setTimeout(() => send(search), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [search])

  // Text typed before hydration is in the field but not in the state.
  useEffect(() => {
    if (input.current) setSearch(input.current.value)
  }, [])

  // Updates the field after Back, Forward or a link has changed the search, or discarded a pending one.
  useEffect(() => {
    if (pending || urlSearch === sent.current) return
    sent.current = urlSearch
    setSearch(urlSearch)
  }, [urlSearch, pending])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event.target)) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  return (
    <search className="flex min-w-0 grow flex-wrap gap-2 max-lg:contents min-[90rem]:flex-nowrap" aria-busy={pending}>
      <input
        ref={input}
        type="search"
        className="field min-w-36 grow basis-56 placeholder:text-ellipsis max-sm:order-2 max-sm:basis-full lg:grow-0 min-[90rem]:max-w-56 min-[90rem]:grow min-[90rem]:basis-36"
        aria-label={copy.search}
        placeholder={copy.hint}
        title={copy.members}
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.target.value)}
      />
      {/* `relative` makes this element also clip the visually hidden labels. */}
      <div className="relative flex min-w-0 flex-wrap gap-1.5 max-lg:order-3 max-lg:basis-full max-sm:-my-1 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:py-1">
        {filters.map((filter) => (
          <Chip key={filter.label} filter={filter} path={path} params={params} go={go} />
        ))}
      </div>
    </search>
  )
}

/** The button that opens a filter's choices, which are lazy-loaded. If the filter is applied, a second button removes it. */
function Chip(props: ChipProps) {
  const { filter, go } = props
  const { description } = filter
  const [hasOpened, setHasOpened] = useState(false)
  const style = `button max-w-72 px-2.5 ${description ? 'rounded-r-none border-r-0 bg-neutral-soft' : 'border-dashed'}`
  const content = (
    <>
      {/* The value replaces the visible label, so that the toolbar stays on one line. */}
      <span className={description ? 'sr-only' : ''}>{filter.label}</span>
      {description ? <span className="min-w-0 truncate font-medium">{description}</span> : <Icon name="down" size={12} />}
    </>
  )
  const button = (
    <button
      type="button"
      className={style}
      aria-haspopup="dialog"
      onPointerEnter={FilterPopover.load}
      onFocus={FilterPopover.load}
      onClick={() => loadOrWarn(FilterPopover.load).then(setHasOpened)}
    >
      {content}
    </button>
  )
  return (
    <span className="flex shrink-0">
      {hasOpened ? (
        <FilterPopover {...props} style={style}>
          {content}
        </FilterPopover>
      ) : (
        button
      )}
      {description ? (
        <button
          type="button"
          className="button rounded-l-none bg-neutral-soft px-2"
          aria-label={controlsCopy.removeFilter(filter.label)}
          title={controlsCopy.remove}
          onClick={() => go(Object.fromEntries(listParameterNames(filter).map((name) => [name, undefined])))}
        >
          <Icon name="close" />
        </button>
      ) : null}
    </span>
  )
}
