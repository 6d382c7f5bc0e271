/** Converts the fields of the form for a product or event, and validates changes. */
import { isChanged, readText, readTimeZone } from '@/app/_components/form-state'
import { checkoutPageChangesSchema } from '@/lib/accounts/checkout-pages'
import { instantIn, localIn } from '@/lib/core/time'

/**
 * Returns a time in UTC, or null if the field is empty. If the user has not changed the time, returns exactly the original one, because the
 * field has no seconds and is ambiguous in the hour that repeats when the clocks are set back.
 */
function readTime(form: FormData, name: 'startsAt' | 'endsAt', timeZone: string): string | null {
  const [local, original] = [readText(form, name), readText(form, `original.${name}`)]
  if (local === undefined) return null
  const isUnchanged = original !== undefined && !Number.isNaN(Date.parse(original)) && localIn(timeZone, original) === local
  return isUnchanged ? original : instantIn(timeZone, local)
}

/**
 * Returns the members of a product or event. Times are converted to UTC from local time in the form's time zone.
 *
 * @param shopTimeZone the shop's time zone, used if the form has none
 */
export function buildPageBody(form: FormData, shopTimeZone: string) {
  const timeZone = readTimeZone(form, shopTimeZone)
  const capacity = readText(form, 'capacity')
  return {
    name: form.get('name'),
    entryPolicy: form.get('entryPolicy'),
    startsAt: readTime(form, 'startsAt', timeZone),
    endsAt: readTime(form, 'endsAt', timeZone),
    capacity: capacity === undefined ? null : Number(capacity),
    offlineAdmission: form.has('offlineAdmission'),
    offlineNames: form.has('offlineNames'),
    offlineSearch: form.has('offlineSearch'),
  }
}

type PageBody = ReturnType<typeof buildPageBody>

/**
 * Validates the members that the user has changed, and returns only those, so that other users' changes to the other members are kept. The
 * form's hidden fields `original.*` contain the original values. Unchanged members are not validated, because the form does not accept
 * every imported name.
 */
export function parsePageChanges(form: FormData, body: PageBody) {
  const names = (Object.keys(body) as (keyof PageBody)[]).filter((name) =>
    name === 'startsAt' || name === 'endsAt' ? body[name] !== (readText(form, `original.${name}`) ?? null) : isChanged(form, name),
  )
  const pickChanged = <Members extends object>(members: Members): Partial<Members> =>
    Object.fromEntries(Object.entries(members).filter(([name]) => names.some((changed) => changed === name))) as Partial<Members>
  // A changed time is also compared with the other time.
  const parsed = checkoutPageChangesSchema.safeParse({ ...pickChanged(body), startsAt: body.startsAt, endsAt: body.endsAt })
  return parsed.success ? ({ success: true, data: pickChanged(parsed.data) } as const) : parsed
}
