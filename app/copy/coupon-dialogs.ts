/** UI text for the buttons and dialogs that create and edit a coupon. The text of the forms is in a separate file that is loaded later. */
export const couponDialogCopy = {
  create: 'Create coupon',
  createTitle: 'Create a coupon',
  edit: 'Edit',
  editTitle: (code: string) => `Edit “${code}”`,
  notSent:
    'The coupon is not sent to Stripe. If Stripe has a coupon with the same code, the two are merged, and the values you set here are kept.',
  done: (code: string) => `Saved the coupon ${code}.`,
} as const
