'use client'
/** The popover with a filter's choices. It is open when it mounts, because the click that opens it also loads its code. */
import { Popover } from '@base-ui/react/popover'
import { type ReactNode, startTransition, useEffect, useOptimistic, useRef, useState } from 'react'
import { filterPopoverCopy as copy } from '@/app/copy/filter-popover'
import { joinValues, splitValues } from '@/lib/catalog/value-list'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import { type FetchFailure, fetchJson } from './fetch-json'
import { type ChipProps, type Choice, type Filter, isDay, listParameterNames } from './filter'
import { Icon } from './icon'
import { PEEK } from './peek-param'
import { SignedOut } from './signed-out'
import type { Changes } from './with-params'

/** Filters with at least this many choices have a search field. */
const MIN_SEARCHABLE = 9

type FilterOptions = { value: string; label?: string; count: number }[]
type OptionsByFilter = { methods?: FilterOptions; types?: FilterOptions; currencies?: FilterOptions }

/** Loads the values found in the records that match the other filters. Returns undefined while loading. */
function useOptions(path: string, params: URLSearchParams): OptionsByFilter | FetchFailure | undefined {
  const [loaded, setLoaded] = useState<OptionsByFilter | FetchFailure>()
  const listParams = new URLSearchParams(params)
  listParams.delete(PEEK)
  const query = listParams.toString()
  useEffect(() => {
    const abort = new AbortController()
    fetchJson<OptionsByFilter>(`${path}/choices?${query}`, abort.signal).then((result) => abort.signal.aborted || setLoaded(result))
    return () => abort.abort()
  }, [path, query])
  return loaded
}

type PartProps = Pick<ChipProps, 'params' | 'go' | 'path'> & { close: () => void }

const rowStyle = 'flex w-full cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover'

function Options({ filter, choices, params, go }: PartProps & { filter: Extract<Filter, { kind: 'choice' }>; choices: Choice[] }) {
  const [searchText, setSearchText] = useState('')
  // The checkboxes change immediately; the table changes once the server has responded.
  const [chosen, setChosen] = useOptimistic(splitValues(params.get(filter.name) ?? '').filter(Boolean))
  // Selected values that are no longer available are also listed, so that they can be removed.
  const allChoices = [
    ...choices,
    ...chosen
      .filter((value) => !choices.some((choice) => choice.value === value))
      .map((value) => filter.choices?.find((choice) => choice.value === value) ?? { value, label: value }),
  ]
  const shownChoices = allChoices.filter(({ label }) => label.toLowerCase().includes(searchText.trim().toLowerCase()))
  const toggle = (value: string, isOn: boolean) => {
    const others = filter.isSingle ? [] : chosen.filter((other) => other !== value)
    const next = isOn ? [...others, value] : others
    startTransition(() => {
      setChosen(next)
      go({ [filter.name]: joinValues(next) })
    })
  }
  return (
    <>
      {allChoices.length >= MIN_SEARCHABLE ? (
        <input
          type="search"
          className="field mb-1 w-full"
          aria-label={`${copy.find} ${filter.label}`}
          placeholder={copy.find}
          value={searchText}
          onChange={(event) => setSearchText(event.target.value)}
        />
      ) : null}
      {shownChoices.length === 0 ? <p className="px-2 py-1.5 text-quiet text-sm">{copy.noChoices}</p> : null}
      {shownChoices.map(({ value, label }) => (
        <label key={value} className={rowStyle}>
          <input
            type={filter.isSingle ? 'radio' : 'checkbox'}
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.target.checked)}
          />
          <span className="min-w-0 truncate">{label}</span>
        </label>
      ))}
    </>
  )
}

function LoadedOptions(props: PartProps & { filter: Extract<Filter, { kind: 'choice' }> }) {
  const loaded = useOptions(props.path, props.params)
  if (loaded === 'signed-out') {
    return (
      <div className="px-2 py-1.5">
        <SignedOut />
      </div>
    )
  }
  if (loaded === 'failed') return <p className="px-2 py-1.5 text-bad text-sm">{copy.unavailable}</p>
  if (!loaded) return <div className="h-8 animate-pulse rounded bg-neutral-soft" aria-busy />
  const options = loaded[props.filter.source ?? 'methods'] ?? []
  const choices = options.map(({ value, label = value, count }) => ({ value, label: `${label} (${count.toLocaleString('en-US')})` }))
  return <Options {...props} choices={choices} />
}

function Dates({ filter, params, go, close }: PartProps & { filter: Extract<Filter, { kind: 'date' }> }) {
  const period = params.get(filter.period)
  const noDates: Changes = Object.fromEntries(listParameterNames(filter).map((name) => [name, undefined]))
  const preset = filter.presets.find(({ value }) => value === period)
  // Both dates are applied together, because a date with a partly typed year, such as 0020-03-01, is valid but wrong, and a range may be
  // reversed until both days are chosen.
  const getDay = (name: string) => {
    const value = params.get(name) ?? ''
    // A link may contain a time instead, which the field cannot show.
    return isDay(value) ? value : ''
  }
  const [from, setFrom] = useState(preset?.from ?? getDay(filter.from))
  const [to, setTo] = useState(preset?.to ?? getDay(filter.to))
  return (
    <>
      {filter.presets.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === period}
          className={`${rowStyle} aria-pressed:font-medium`}
          onClick={() => {
            go({ ...noDates, [filter.period]: choice.value })
            close()
          }}
        >
          {choice.label}
        </button>
      ))}
      <form
        className="mt-1 grid gap-2 border-line border-t p-2 pt-3"
        onSubmit={(event) => {
          event.preventDefault()
          go({ ...noDates, [filter.from]: from, [filter.to]: to })
          close()
        }}
      >
        <label className="flex items-center gap-2 text-sm">
          <span className="w-12 text-quiet">{copy.from}</span>
          <input
            type="date"
            className="field grow"
            max={to || '9999-12-31'}
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        </label>
        <label className="flex items-center gap-2 text-sm">
          <span className="w-12 text-quiet">{copy.to}</span>
          <input
            type="date"
            className="field grow"
            min={from}
            max="9999-12-31"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </label>
        <button type="submit" className="button-primary">
          {copy.apply}
        </button>
      </form>
    </>
  )
}

function Amounts({ params, go, path, close }: PartProps) {
  const loaded = useOptions(path, params)
  const currencies = (typeof loaded === 'object' && loaded.currencies) || []
  const currency = (params.get('currency') ?? '').toUpperCase()
  const codes = [...new Set([...currencies.map(({ value }) => value), currency])].filter(Boolean)
  return (
    <form
      className="grid gap-2 p-2"
      onSubmit={(event) => {
        event.preventDefault()
        const values = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).replace(',', '.')])
        go(Object.fromEntries(values))
        close()
      }}
    >
      {(['amount[gte]', 'amount[lte]'] as const).map((name) => (
        <label key={name} className="flex items-center gap-2 text-sm">
          <span className="w-20 text-quiet">{name === 'amount[gte]' ? copy.least : copy.most}</span>
          <input
            name={name}
            inputMode="decimal"
            // In many regions, the decimal key on phones is a comma. A comma before three digits, as in 1,000, may be a thousands
            // separator.
            pattern="\d{1,12}(\.\d{1,6}|,\d{1,2})?"
            title="12.50"
            className="field w-32"
            defaultValue={params.get(name) ?? ''}
          />
        </label>
      ))}
      <label className="flex items-center gap-2 text-sm">
        <span className="w-20 text-quiet">{copy.currency}</span>
        <select key={codes.join()} name="currency" className="field w-32" defaultValue={currency}>
          <option value="">{copy.anyCurrency}</option>
          {codes.map((code) => (
            <option key={code} value={code}>
              {code === NO_CURRENCY ? copy.noCurrency : code}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="button-primary">
        {copy.apply}
      </button>
    </form>
  )
}

export default function FilterPopover({ style, children, ...chip }: ChipProps & { style: string; children: ReactNode }) {
  const { filter } = chip
  const [open, setOpen] = useState(true)
  const part = { ...chip, close: () => setOpen(false) }
  // The popover is rendered inside the main landmark, so that users who navigate by landmarks can find it.
  const containerRef = useRef<HTMLDivElement>(null)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={style}>{children}</Popover.Trigger>
      <div ref={containerRef} className="contents" />
      <Popover.Portal container={containerRef}>
        <Popover.Positioner align="start" sideOffset={4} positionMethod="fixed" className="z-20 outline-none">
          <Popover.Popup className="max-h-(--available-height) w-64 overflow-y-auto rounded-lg border border-line bg-card p-1 shadow-lg outline-none">
            <div className="flex items-center px-2 pt-1 pb-1.5">
              <Popover.Title className="font-medium text-sm">{filter.label}</Popover.Title>
              <Popover.Close aria-label={copy.close} className="ml-auto rounded p-1 text-quiet hover:bg-hover hover:text-ink">
                <Icon name="close" />
              </Popover.Close>
            </div>
            {filter.kind === 'date' ? <Dates {...part} filter={filter} /> : null}
            {filter.kind === 'amount' ? <Amounts {...part} /> : null}
            {filter.kind === 'choice' && !filter.source ? <Options {...part} filter={filter} choices={filter.choices ?? []} /> : null}
            {filter.kind === 'choice' && filter.source ? <LoadedOptions {...part} filter={filter} /> : null}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
