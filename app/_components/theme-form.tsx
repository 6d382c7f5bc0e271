'use client'
/** The form with the theme button of the check-in page. If the request fails, the page stays as it is, because guests may be waiting. */
import type { ReactNode } from 'react'

export const ThemeForm = ({ action, children }: { action: () => Promise<void>; children: ReactNode }) => (
  <form action={() => action().catch(() => {})}>{children}</form>
)
