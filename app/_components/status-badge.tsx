/** A badge with a status. Its color reinforces the text but never replaces it. */
import type { Tone } from './cells'

/** The background and text colors of each tone. */
export const TONE_CLASSES: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  neutral: 'bg-neutral-soft text-quiet',
}

export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`status-badge ${TONE_CLASSES[tone]}`}>{children}</span>
}
