/** The button that changes the colours, as they stand for this browser. A form: it works without script. */
import { Monitor, Moon, Sun } from 'lucide-react'
import { cookies } from 'next/headers'
import { turnTheme } from '../theme-actions'
import { words } from '../words/shop'
import { isTheme, THEME_COOKIE } from './theme'

const ICONS = { system: Monitor, light: Sun, dark: Moon }

export async function ThemeChoice({ className = '' }: { className?: string }) {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value
  const theme = isTheme(chosen) ? chosen : 'system'
  const Icon = ICONS[theme]
  return (
    <form action={turnTheme} className={className}>
      <button
        type="submit"
        aria-label={words.theme[theme]}
        title={words.theme[theme]}
        className="flex rounded-md p-1.5 text-quiet hover:bg-hover hover:text-ink"
      >
        <Icon aria-hidden size={16} />
      </button>
    </form>
  )
}
