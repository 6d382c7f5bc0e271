'use client'
/** The form with the theme button. If the request fails, the page stays as it is, because guests may be waiting or a form may be filled in. */
import type { ReactNode } from 'react'

const isServer = typeof window === 'undefined'

export const ThemeForm = ({ action, children }: { action: () => Promise<void>; children: ReactNode }) => (
  // Without JavaScript, the browser posts the form, which requires the server action itself.
  <form action={isServer ? action : () => action().catch(() => {})}>{children}</form>
)
