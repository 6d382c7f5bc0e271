'use client'
/**
 * A form with a button for changing a display preference. If the request fails, shows a toast and keeps the page, which may contain unsaved
 * input.
 */
import type { ReactNode } from 'react'
import { shellCopy } from '../copy/shell'
import { showToast } from './toast'

const isServer = typeof window === 'undefined'

export const PreferenceForm = ({ action, children }: { action: (form: FormData) => Promise<void>; children: ReactNode }) => (
  <form
    action={
      // Without JavaScript, the browser posts the form, which requires the server action itself.
      isServer
        ? action
        : (form: FormData) =>
            action(form).catch((error: Error) =>
              // Errors from `sendOnce` contain a message for the user.
              showToast({ text: error instanceof DOMException ? error.message : shellCopy.outage }),
            )
    }
  >
    {children}
  </form>
)
