/** Separate from `money.ts`, so that tables in the browser do not load the decimals of all currencies. */

/** The value of a currency parameter for records without a currency. */
export const NO_CURRENCY = '-'
