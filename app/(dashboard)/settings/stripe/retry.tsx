'use client'
/** The buttons that try failed events again. */
import { useTransition } from 'react'
import { settingsWords } from '@/app/copy/settings'
import { useTell } from '../_parts/teller'
import { retry, retryAll } from './actions'

const words = settingsWords.stripe

function TellingButton({ label, labelOf, work }: { label: string; labelOf?: string; work: () => Promise<string> }) {
  const tell = useTell()
  const [pending, start] = useTransition()
  const go = () =>
    start(async () => {
      tell(await work())
    })
  return (
    <button type="button" className="button" aria-label={labelOf} disabled={pending} onClick={go}>
      {label}
    </button>
  )
}

export const RetryEvent = ({ id }: { id: string }) => (
  <TellingButton label={words.retry} labelOf={words.retryOf(id)} work={() => retry(id)} />
)

export const RetryAll = () => <TellingButton label={words.retryAll} work={retryAll} />
