/** UI text for the buttons and dialogs to create and edit a coupon. The text of the forms is in a separate file, which is lazy-loaded. */
export const couponDialogCopy = {
  create: 'Create coupon',
  createTitle: 'Create a coupon',
  edit: 'Edit',
  editTitle: (code: string) => `Edit “${code}”`,
  createHint:
    'This coupon isn’t created in Stripe. If Stripe has a coupon whose ID is this code, the two are merged, and the values you set here are kept.',
  editHint: 'Changes aren’t sent to Stripe. Later updates from Stripe won’t overwrite the values you change here.',
} as const
