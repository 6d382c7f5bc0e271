/** What can be done about an answer: open its ticket, or look the guest up where there is none. */
import { doorWords } from '../copy/door'
import type { Shown } from './shown'

type Props = {
  shown: Shown | undefined
  /** How many other tickets its order has, once that is known. */
  others: number | undefined
  /** Whether its ticket lies on the desk, which a wide screen has in view. */
  onDesk: boolean
  onOpen: (ticketId: string) => void
  onFind: () => void
}

const STYLE = 'mt-5 inline-flex min-h-11 items-center rounded-lg border border-white/70 px-4 py-2 text-base text-white hover:bg-white/10'

export function ResultDeeds({ shown, others, onDesk, onOpen, onFind }: Props) {
  if (shown?.kind === 'unknown') {
    return (
      <button type="button" className={STYLE} onClick={onFind}>
        {doorWords.find}
      </button>
    )
  }
  const ticketId = shown?.answer?.ticketId
  if (ticketId === undefined) return null
  return (
    <button type="button" className={`${STYLE} ${onDesk ? 'lg:hidden' : ''}`} onClick={() => onOpen(ticketId)}>
      {doorWords.openDesk(others ?? 0)}
    </button>
  )
}
