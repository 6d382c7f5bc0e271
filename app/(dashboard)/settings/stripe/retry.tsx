'use client'
/** Buttons that retry failed events. */
import { useTransition } from 'react'
import { settingsCopy } from '@/app/copy/settings'
import { useAnnounce } from '../_parts/announcer'
import { retry, retryAll } from './actions'

const copy = settingsCopy.stripe

function RetryButton({ label, accessibleName, work }: { label: string; accessibleName?: string; work: () => Promise<string> }) {
  const announce = useAnnounce()
  const [pending, start] = useTransition()
  const go = () =>
    start(async () => {
      announce(await work())
    })
  return (
    <button type="button" className="button" aria-label={accessibleName} disabled={pending} onClick={go}>
      {label}
    </button>
  )
}

export const RetryEvent = ({ id }: { id: string }) => (
  <RetryButton label={copy.retry} accessibleName={copy.retryNamed(id)} work={() => retry(id)} />
)

export const RetryAll = () => <RetryButton label={copy.retryAll} work={retryAll} />
