'use client'
/** The check-in button on the pages of tickets and bookings. It sends the same request as the check-in page. */
import { useRouter } from 'next/navigation'
import { useLayoutEffect, useRef, useTransition } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import { showToast } from '@/app/_components/toast'
import { checkInCopy as copy } from '@/app/copy/check-in'
import { beginChange, sendChange } from '@/app/door/door-client'
import type { ScanResponse } from '@/app/door/responses'

/** @param name the ticket's short ID and the guest's name */
export function CheckInButton({ ticketId, name }: { ticketId: string; name: string }) {
  const router = useRouter()
  const [pending, start] = useTransition()
  const button = useRef<HTMLButtonElement>(null)
  // If a check-in removes the focused button, the focus moves within the row. The cleanup of a layout effect runs before the removal.
  useLayoutEffect(() => {
    const element = button.current
    return () => {
      if (element && element === document.activeElement) element.closest('tr')?.querySelector<HTMLElement>('a, summary')?.focus()
    }
  }, [])
  const checkIn = () =>
    start(async () => {
      const result = await sendChange<ScanResponse>(beginChange('/door/admit', { ticketId }))
      if (result.outcome === 'offline') showToast({ text: copy.offline })
      else if (result.outcome === 'refused') showToast({ text: result.message })
      else showToast({ text: result.data.didCheckIn ? copy.checkedIn(name) : result.data.message })
      router.refresh()
    })
  return (
    <PendingButton ref={button} className="button h-8" aria-label={copy.checkInAccessibleName(name)} pending={pending} onClick={checkIn}>
      {copy.checkIn}
    </PendingButton>
  )
}
