'use client'
/** Buttons that create or edit a coupon in a dialog. The forms are loaded when a dialog opens, to keep them out of the initial page load. */
import { lazy } from 'react'
import { couponDialogCopy as copy } from '@/app/copy/coupon-dialogs'
import { FormDialog } from '../../settings/_parts/dialog-button'
import type { EditedCoupon, Shop } from './coupon-forms'

const loadForms = () => import('./coupon-forms')
const CreateForm = lazy(() => loadForms().then((loaded) => ({ default: loaded.CreateForm })))
const EditForm = lazy(() => loadForms().then((loaded) => ({ default: loaded.EditForm })))

export const CreateCoupon = (shop: Shop) => (
  <FormDialog label={copy.create} isMain title={copy.createTitle} description={copy.notSent} done={copy.done}>
    {(onDone) => <CreateForm {...shop} onDone={onDone} />}
  </FormDialog>
)

export const EditCoupon = ({ coupon, ...shop }: Shop & { coupon: EditedCoupon }) => (
  <FormDialog label={copy.edit} title={copy.editTitle(coupon.code)} description={copy.notSent} done={copy.done}>
    {(onDone) => <EditForm {...shop} coupon={coupon} onDone={onDone} />}
  </FormDialog>
)
