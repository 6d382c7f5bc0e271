/** The button that changes the colours, as they stand for this browser. A form: it works without script. */
import { cookies } from 'next/headers'
import { words } from '../copy/shop'
import { turnTheme } from '../theme-actions'
import { Icon } from './icon'
import { isTheme, THEME_COOKIE } from './theme'

export async function ThemeChoice({ className = '' }: { className?: string }) {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value
  const theme = isTheme(chosen) ? chosen : 'system'
  return (
    <form action={turnTheme} className={className}>
      <button
        type="submit"
        aria-label={words.theme[theme]}
        title={words.theme[theme]}
        className="flex rounded-md p-1.5 text-quiet hover:bg-hover hover:text-ink"
      >
        <Icon name={theme} size={16} />
      </button>
    </form>
  )
}
