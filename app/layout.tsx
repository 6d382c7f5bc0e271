/** The root layout. */
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { isTheme, THEME_COOKIE } from './_components/preferences'
import './globals.css'
import { shopCopy } from './copy/shop'

export const metadata: Metadata = {
  title: { default: shopCopy.name, template: `%s · ${shopCopy.name}` },
  description: shopCopy.description,
}

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' }

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = (await cookies()).get(THEME_COOKIE)?.value
  return (
    <html lang="en" data-theme={isTheme(theme) ? theme : undefined}>
      <body>{children}</body>
    </html>
  )
}
