'use client'
/** The button for editing a coupon in a dialog. The form is lazy-loaded to keep it out of the initial page load. */
import { Announcer } from '@/app/_components/announcer'
import { FormDialog } from '@/app/_components/form-dialog'
import { onDemand } from '@/app/_components/on-demand'
import { editCouponCopy as copy } from '@/app/copy/edit-coupon'
import type { CouponFormContext, EditableCoupon } from './coupon-forms'

const EditForm = onDemand(() => import('./coupon-forms').then((module) => module.EditForm))

export const EditCoupon = ({ coupon, ...shop }: CouponFormContext & { coupon: EditableCoupon }) => (
  <Announcer>
    <FormDialog label={copy.label} title={copy.title(coupon.code)} description={copy.hint} loadContent={EditForm.load}>
      {(onSuccess) => <EditForm {...shop} coupon={coupon} onSuccess={onSuccess} />}
    </FormDialog>
  </Announcer>
)
