/** UI text for creating a coupon. Every table loads it, so the text of the form is in a separate file, which is lazy-loaded. */
export const createCouponCopy = {
  label: 'Create coupon',
  title: 'Create a coupon',
  hint: 'This coupon won’t be created in Stripe. If Stripe later reports a coupon whose ID is the same as the code, the two are merged, and the values you set here are kept.',
} as const
