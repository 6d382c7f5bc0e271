/** The button that cycles through the themes. A form, so that it works without JavaScript. */
import { cookies } from 'next/headers'
import { shopCopy } from '../copy/shop'
import { cycleTheme } from '../theme-actions'
import { Icon } from './icon'
import { isTheme, THEME_COOKIE } from './theme'

/** @param isLabeled whether the button is a row of a menu, with its text; otherwise it is an icon */
export async function ThemeChoice({ isLabeled = false }: { isLabeled?: boolean }) {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value
  const theme = isTheme(chosen) ? chosen : 'system'
  return (
    <form action={cycleTheme}>
      <button
        type="submit"
        aria-label={shopCopy.theme[theme]}
        title={shopCopy.theme[theme]}
        className={isLabeled ? 'nav-row w-full' : 'flex rounded-md p-1.5 text-quiet hover:bg-hover hover:text-ink'}
      >
        {isLabeled ? shopCopy.theme[theme] : null}
        <span className="ml-auto">
          <Icon name={theme} size={16} />
        </span>
      </button>
    </form>
  )
}
