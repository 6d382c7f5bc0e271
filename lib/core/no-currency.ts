/** A separate file, because tables in the browser use this value, but not the decimals of all currencies in `money.ts`. */

/** The value of a currency parameter for records without a currency. */
export const NO_CURRENCY = '-'
