'use client'
/** The forms for creating and editing a coupon. */
import { useState } from 'react'
import { apiRequest } from '@/app/_components/api-request'
import { CopyFormRequest } from '@/app/_components/copy-form-request'
import { Choice, Choices, OriginalValues, RadioChoices, Submit, TextField, useForm } from '@/app/_components/form'
import { type FieldErrors, FORM_ERROR_KEY, joinSorted } from '@/app/_components/form-state'
import { couponCopy as copy } from '@/app/copy/coupons'
import { dialogCopy } from '@/app/copy/dialog'
import type { NamedPage } from '@/lib/accounts/checkout-pages'
import { create, update } from './actions'
import { buildCouponBody, buildCouponUpdate } from './coupon-body'

/** `origin` is the server's public origin, for the copyable API request. */
export type CouponFormContext = { pages: NamedPage[]; timeZone: string; origin: string }

/** The members of a coupon that the edit form uses. `redeemBy` is a local time, or empty if there is no deadline. */
export type EditableCoupon = {
  id: string
  code: string
  label: string
  maxRedemptions?: number | undefined
  redeemBy: string
  pageIds: readonly string[]
  deleted: boolean
}

type TextProps = {
  name: keyof typeof copy.errors
  errors: FieldErrors
  hint?: string
  value?: string | number
  type?: string
  step?: string
}

const Text = ({ name, errors, hint, value, type = 'text', step }: TextProps) => (
  <TextField label={copy[name]} hint={hint} error={errors[name]} type={type} step={step} name={name} defaultValue={value} />
)

type LimitsProps = Omit<CouponFormContext, 'origin'> & { coupon?: EditableCoupon; errors: FieldErrors }

/** The fields shared by both forms. */
function Limits({ pages, timeZone: current, coupon, errors }: LimitsProps) {
  // If the shop's time zone changes while the form is open, the entered time stays as it is, so it must still be read in the original zone.
  const [timeZone] = useState(current)
  return (
    <>
      <input type="hidden" name="timeZone" value={timeZone} />
      <Text name="maxRedemptions" errors={errors} hint={copy.optional} type="number" value={coupon?.maxRedemptions ?? ''} />
      <Text name="redeemBy" errors={errors} hint={copy.optionalIn(timeZone)} type="datetime-local" value={coupon?.redeemBy ?? ''} />
      {pages.length > 0 ? (
        <Choices legend={copy.pageIds} error={errors.pageIds}>
          <p className="text-quiet">{copy.pageIdsHint}</p>
          <div className="max-h-48 overflow-y-auto px-2">
            {pages.map(({ id, name }) => (
              <Choice key={id} type="checkbox" name="pageIds" value={id} label={name} checked={coupon?.pageIds.includes(id) === true} />
            ))}
          </div>
        </Choices>
      ) : null}
    </>
  )
}

type FormProps = CouponFormContext & { onSuccess: (message: string) => void }

export function CreateForm({ onSuccess, origin, ...shop }: FormProps) {
  const { props, errors, pending, check } = useForm(create, onSuccess)
  return (
    <form {...props} className="flex flex-col gap-4">
      <TextField label={copy.label} error={errors.label} name="label" maxLength={200} />
      <Text name="code" errors={errors} />
      <Text name="percentOff" errors={errors} hint={copy.amountHint} type="number" step="0.01" />
      <Text name="amountOff" errors={errors} type="number" step="any" />
      <Text name="currency" errors={errors} />
      <RadioChoices legend={copy.duration} name="duration" options={copy.durations} selected="once" error={errors.duration} />
      <Text name="durationInMonths" errors={errors} hint={copy.optional} type="number" />
      <Limits {...shop} errors={errors} />
      <Choice type="checkbox" name="appliesToSetupFee" value="true" label={copy.appliesToSetupFee} />
      <Submit label={copy.create} pendingLabel={copy.creating} pending={pending} errors={errors} />
      <CopyFormRequest check={check} command={(form) => apiRequest(origin, 'POST', '/coupons', buildCouponBody(form, shop.timeZone))} />
    </form>
  )
}

/** Returns the original values of the edit form's fields, in the format that `buildCouponUpdate` expects. */
const toFieldValues = ({ label, maxRedemptions, redeemBy, pageIds, deleted }: EditableCoupon) => ({
  label,
  maxRedemptions: String(maxRedemptions ?? ''),
  redeemBy,
  pageIds: joinSorted([...new Set(pageIds)]),
  deleted: deleted ? 'true' : '',
})

/**
 * Returns the shop's products and events, and those that only the coupon has, named by their IDs. An imported coupon can have such IDs.
 * Without choices for them, saving the form would remove them, and make the coupon valid for all products if no others are selected.
 */
function listPageChoices(pages: readonly NamedPage[], pageIds: readonly string[]): NamedPage[] {
  const known = new Set(pages.map(({ id }) => id))
  return [...pages, ...[...new Set(pageIds)].filter((id) => !known.has(id)).map((id) => ({ id, name: id }))]
}

export function EditForm({ coupon: current, onSuccess, origin, ...shop }: FormProps & { coupon: EditableCoupon }) {
  // The page might receive a newer version while the form is open. The fields keep their values, so the original values must not change.
  const [coupon] = useState(current)
  const { props, errors, pending, check } = useForm(update, onSuccess)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={coupon.id} />
      <OriginalValues values={toFieldValues(coupon)} />
      <TextField label={copy.label} error={errors.label} name="label" defaultValue={coupon.label} maxLength={200} />
      <Limits {...shop} pages={listPageChoices(shop.pages, coupon.pageIds)} coupon={coupon} errors={errors} />
      <Choice type="checkbox" name="deleted" value="true" label={copy.deleted} checked={coupon.deleted} />
      <Submit
        label={dialogCopy.save}
        pendingLabel={dialogCopy.saving}
        pending={pending}
        // The form has no field for the code, so an error about the code is shown for the whole form.
        errors={errors.code ? { ...errors, [FORM_ERROR_KEY]: errors.code } : errors}
      />
      <CopyFormRequest
        check={check}
        command={(form) => apiRequest(origin, 'PATCH', `/coupons/${coupon.id}`, buildCouponUpdate(form, shop.timeZone))}
      />
    </form>
  )
}
