/** Replaces the status bar if the browser is not set up to work offline. Contains a button that sets it up. */
import { WifiOff } from 'lucide-react'
import { useState } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import { doorCopy } from '../copy/door'

export function EnrollBar({ onEnroll }: { onEnroll: () => Promise<void> }) {
  const [isPending, setPending] = useState(false)
  async function enroll() {
    setPending(true)
    await onEnroll()
    setPending(false)
  }
  return (
    <div className="flex shrink-0 items-center gap-2 bg-neutral-soft px-3 py-1 text-sm leading-tight">
      <WifiOff aria-hidden size={20} className="shrink-0" />
      <p>{doorCopy.start.notEnrolled}</p>
      <PendingButton className="button ml-auto h-16 shrink-0" pending={isPending} onClick={() => void enroll()}>
        {doorCopy.start.enroll}
      </PendingButton>
    </div>
  )
}
