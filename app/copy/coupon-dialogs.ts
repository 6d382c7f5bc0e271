/** Text of the buttons and dialogs that create and edit a coupon. Apart from that of the forms, which are loaded later. */
export const couponDialogCopy = {
  create: 'Create coupon',
  createTitle: 'Create a coupon',
  edit: 'Edit',
  editTitle: (code: string) => `Edit “${code}”`,
  notSent: 'The coupon is not sent to Stripe. If Stripe reports one with the same code, both are one coupon, and what you set here stays.',
  done: (code: string) => `Saved the coupon ${code}.`,
} as const
