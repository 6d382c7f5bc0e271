/** The button that cycles through the themes. A form, so that it works without JavaScript. */
import { cookies } from 'next/headers'
import { shopCopy } from '../copy/shop'
import { cycleTheme } from '../theme-actions'
import { Icon } from './icon'
import { isTheme, THEME_COOKIE } from './theme'

export async function ThemeChoice({ className = '' }: { className?: string }) {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value
  const theme = isTheme(chosen) ? chosen : 'system'
  return (
    <form action={cycleTheme} className={className}>
      <button
        type="submit"
        aria-label={shopCopy.theme[theme]}
        title={shopCopy.theme[theme]}
        className="flex rounded-md p-1.5 text-quiet hover:bg-hover hover:text-ink"
      >
        <Icon name={theme} size={16} />
      </button>
    </form>
  )
}
