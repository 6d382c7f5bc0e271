/** The button for cycling through the themes. It submits a form, so that it works without JavaScript. */
import { cookies } from 'next/headers'
import { shopCopy } from '../copy/shop'
import { saveTheme } from '../preferences-actions'
import { Icon } from './icon'
import { PreferenceForm } from './preference-form'
import { isTheme, THEME_COOKIE } from './preferences'

/** The variants: a menu row with text, or, on the check-in page, an icon large enough for a gloved thumb. */
const VARIANT_CLASSES = {
  row: 'nav-row w-full',
  large: '-mr-5 flex size-16 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-ink',
}

/** The theme that the button selects, by current theme. */
const NEXT_THEME = { system: 'light', light: 'dark', dark: 'system' } as const

export async function ThemeChoice({ variant }: { variant: keyof typeof VARIANT_CLASSES }) {
  const chosen = (await cookies()).get(THEME_COOKIE)?.value
  const theme = isTheme(chosen) ? chosen : 'system'
  return (
    <PreferenceForm action={saveTheme}>
      <button
        type="submit"
        name="theme"
        value={NEXT_THEME[theme]}
        aria-label={shopCopy.theme[theme]}
        title={shopCopy.theme[theme]}
        className={VARIANT_CLASSES[variant]}
      >
        {variant === 'row' ? shopCopy.theme[theme] : null}
        <span className={variant === 'row' ? 'ml-auto' : ''}>
          <Icon name={theme} size={variant === 'large' ? 24 : 16} />
        </span>
      </button>
    </PreferenceForm>
  )
}
