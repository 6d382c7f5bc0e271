'use client'
/** Buttons for creating and editing a coupon in a dialog. The forms are lazy-loaded to keep them out of the initial page load. */
import { Announcer } from '@/app/_components/announcer'
import { FormDialog } from '@/app/_components/dialog-button'
import { onDemand } from '@/app/_components/on-demand'
import { couponDialogCopy as copy } from '@/app/copy/coupon-dialogs'
import type { CouponFormContext, EditableCoupon } from './coupon-forms'

const loadForms = () => import('./coupon-forms')
const CreateForm = onDemand(() => loadForms().then((module) => module.CreateForm))
const EditForm = onDemand(() => loadForms().then((module) => module.EditForm))

export const CreateCoupon = (shop: CouponFormContext) => (
  <Announcer>
    <FormDialog label={copy.create} isMain title={copy.createTitle} description={copy.createHint} loadContent={CreateForm.load}>
      {(onSuccess) => <CreateForm {...shop} onSuccess={onSuccess} />}
    </FormDialog>
  </Announcer>
)

export const EditCoupon = ({ coupon, ...shop }: CouponFormContext & { coupon: EditableCoupon }) => (
  <Announcer>
    <FormDialog label={copy.edit} title={copy.editTitle(coupon.code)} description={copy.editHint} loadContent={EditForm.load}>
      {(onSuccess) => <EditForm {...shop} coupon={coupon} onSuccess={onSuccess} />}
    </FormDialog>
  </Announcer>
)
