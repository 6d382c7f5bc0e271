/** UI text for editing a coupon. The text of the form is in a separate file, which is lazy-loaded. */
export const editCouponCopy = {
  label: 'Edit',
  title: (code: string) => `Edit “${code}”`,
  hint: 'Changes aren’t sent to Stripe. Later updates from Stripe won’t overwrite the values you change here.',
} as const
