'use client'
/** Scans, one after the other, however they come in; what they led to; and how many are in. */
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { Page } from '@/lib/records/pages'
import type { Turnout } from '@/lib/tickets/door'
import { doorWords } from '../words/door'
import { Camera } from './camera'
import { Result, type Shown } from './result'
import { newScanKey, sendScan } from './send-scan'
import { playSignal, type Signal } from './signals'

const KEPT_SCANS = 20
const TURNOUT_MS = 5_000
const SETTINGS = 'checkout-desk:door'

const SIGNALS: Record<Shown['kind'], Signal> = {
  admitted: 'good',
  looked: 'good',
  already_checked_in: 'warn',
  canceled: 'bad',
  other_event: 'warn',
  unknown: 'bad',
  offline: 'warn',
}

type Settings = { pageId: string; device: string }

/** Chosen once and kept on the device: a reload in a queue must not lose it. */
function useSettings(): [Settings, (change: Partial<Settings>) => void] {
  const [settings, setSettings] = useState<Settings>({ pageId: '', device: '' })
  useEffect(() => {
    const kept = window.localStorage.getItem(SETTINGS)
    if (kept) setSettings(JSON.parse(kept) as Settings)
  }, [])
  const change = (part: Partial<Settings>) => {
    const next = { ...settings, ...part }
    window.localStorage.setItem(SETTINGS, JSON.stringify(next))
    setSettings(next)
  }
  return [settings, change]
}

function useTurnout(initial: Turnout, pageId: string, scans: number): Turnout {
  const [turnout, setTurnout] = useState(initial)
  useEffect(() => {
    let current = true
    const load = async () => {
      const response = await fetch(`/tickets/turnout?pageId=${pageId}&after=${scans}`).catch(() => undefined)
      if (current && response?.ok) setTurnout((await response.json()) as Turnout)
    }
    void load()
    const timer = setInterval(load, TURNOUT_MS)
    return () => {
      current = false
      clearInterval(timer)
    }
  }, [pageId, scans])
  return turnout
}

export function Door({ pages, turnout: initial }: { pages: Page[]; turnout: Turnout }) {
  const [settings, change] = useSettings()
  const [lookOnly, setLookOnly] = useState(false)
  const [camera, setCamera] = useState<'off' | 'on' | 'refused'>('off')
  const [code, setCode] = useState('')
  const [underWay, setUnderWay] = useState(0)
  const [scans, setScans] = useState<Shown[]>([])
  const count = useRef(0)
  const input = useRef<HTMLInputElement>(null)
  /** A scan that found no connection keeps its key: scanned again, it is the same scan. */
  const unanswered = useRef(new Map<string, string>())
  const turnout = useTurnout(initial, settings.pageId, scans.length === 0 ? 0 : (scans[0]?.id ?? 0))

  // A scanner types wherever the focus is: what it types outside of a field belongs here.
  useEffect(() => {
    input.current?.focus()
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const elsewhere =
        target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.getAttribute('type') !== 'checkbox'
      if (key.length === 1 && key !== ' ' && !elsewhere && !ctrlKey && !metaKey && !altKey) input.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  const show = useCallback((shown: Omit<Shown, 'id'>) => {
    count.current += 1
    setScans((before) => [{ ...shown, id: count.current }, ...before].slice(0, KEPT_SCANS))
    playSignal(SIGNALS[shown.kind])
  }, [])

  async function scan(text: string) {
    if (text === '') return
    setUnderWay((before) => before + 1)
    const what = JSON.stringify([text, lookOnly, settings.pageId, settings.device])
    const key = unanswered.current.get(what) ?? newScanKey()
    unanswered.current.set(what, key)
    const sent = await sendScan({
      code: text,
      key,
      checkIn: !lookOnly,
      ...(settings.pageId ? { pageId: settings.pageId } : {}),
      ...(settings.device ? { device: settings.device } : {}),
    })
    setUnderWay((before) => before - 1)
    if (sent.outcome === 'signed_out') {
      window.location.assign('/sign-in?callbackUrl=/tickets')
      return
    }
    if (sent.outcome === 'offline') show({ kind: 'offline' })
    else {
      unanswered.current.delete(what)
      show({ kind: sent.answer.kind, answer: sent.answer })
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const typed = code
    setCode('')
    input.current?.focus()
    void scan(typed)
  }

  return (
    <main className="flex grow flex-col gap-3">
      <div className="grid grid-cols-2 gap-2">
        <select
          className="field min-w-0"
          aria-label={doorWords.event}
          value={settings.pageId}
          onChange={(event) => change({ pageId: event.target.value })}
        >
          <option value="">{doorWords.anyEvent}</option>
          {pages.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <input
          className="field min-w-0"
          aria-label={doorWords.device}
          placeholder={doorWords.deviceHint}
          maxLength={64}
          value={settings.device}
          onChange={(event) => change({ device: event.target.value })}
        />
      </div>

      <Result shown={scans[0]} pending={underWay > 0} />

      {camera === 'on' ? <Camera onCode={scan} onRefused={() => setCamera('refused')} /> : null}
      {camera === 'refused' ? (
        <p role="alert" className="text-bad text-sm">
          {doorWords.cameraRefused}
        </p>
      ) : null}

      <form onSubmit={submit} className="flex gap-2">
        <input
          ref={input}
          className="field h-12 min-w-0 grow font-mono text-base"
          aria-label={doorWords.code}
          placeholder={doorWords.codeHint}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        <button type="submit" className="h-12 rounded-lg bg-accent px-5 font-medium text-on-accent">
          {doorWords.check}
        </button>
      </form>

      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <button type="button" className="button" onClick={() => setCamera(camera === 'on' ? 'off' : 'on')}>
          {camera === 'on' ? doorWords.cameraOff : doorWords.camera}
        </button>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={lookOnly} onChange={(event) => setLookOnly(event.target.checked)} />
          {doorWords.lookOnly}
        </label>
        <span className="ml-auto tabular-nums" data-turnout>
          {doorWords.inside(turnout.inside, turnout.sold)}
        </span>
      </div>

      <ul className="flex flex-col gap-1 text-quiet text-sm tabular-nums">
        {turnout.types.map(({ name, inside, sold }) => (
          <li key={name} className="flex justify-between gap-4">
            <span className="truncate">{name}</span>
            <span className="whitespace-nowrap">{doorWords.inside(inside, sold)}</span>
          </li>
        ))}
      </ul>

      <section aria-labelledby="recent">
        <h2 id="recent" className="font-medium text-sm">
          {doorWords.recent}
        </h2>
        {scans.length === 0 ? <p className="text-quiet text-sm">{doorWords.noneYet}</p> : null}
        <ol className="mt-1 text-sm">
          {scans.map(({ id, kind, answer }) => (
            <li key={id} className="flex gap-3 border-line border-t py-1.5 first:border-t-0">
              <span className="w-28 shrink-0 font-medium">{doorWords.outcomes[kind]}</span>
              <span className="truncate text-quiet">{[answer?.guest, answer?.order].filter(Boolean).join(' · ')}</span>
            </li>
          ))}
        </ol>
      </section>
    </main>
  )
}
