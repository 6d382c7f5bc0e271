'use client'
/**
 * The button for creating a coupon in a dialog. The form is lazy-loaded. Every table loads this file, so it shows a toast, which needs less
 * code than the announcer.
 */
import { useState } from 'react'
import { DialogButton } from '@/app/_components/dialog-button'
import { onDemand } from '@/app/_components/on-demand'
import { showToast } from '@/app/_components/toast'
import { createCouponCopy as copy } from '@/app/copy/create-coupon'
import type { CouponFormContext } from './coupon-forms'

const CreateForm = onDemand(() => import('./coupon-forms').then((module) => module.CreateForm))

export function CreateCoupon(shop: CouponFormContext) {
  const [open, setOpen] = useState(false)
  function onSuccess(text: string) {
    setOpen(false)
    showToast({ text })
  }
  return (
    <DialogButton
      label={copy.label}
      isMain
      title={copy.title}
      description={copy.hint}
      loadContent={CreateForm.load}
      open={open}
      onOpenChange={setOpen}
    >
      <CreateForm {...shop} onSuccess={onSuccess} />
    </DialogButton>
  )
}
