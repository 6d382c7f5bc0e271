/** Formats amounts in minor currency units, and converts between minor and major units: 2500 is €25.00, or ¥2,500. */

/**
 * The currencies that do not have two decimals, by their number of decimals. The numbers follow ISO 4217, except that ISK and UGX have two
 * and MGA has none, as in Stripe's API. `Intl` is not used, because its numbers depend on the version of Node or the browser, and it omits
 * the decimals of currencies whose small coins are no longer used, such as HUF and IDR, although their amounts are in hundredths.
 */
export const UNUSUAL_DECIMALS: ReadonlyMap<number, readonly string[]> = new Map([
  [0, ['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF']],
  [3, ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']],
  [4, ['CLF', 'UYW']],
])

const decimalsByCode = new Map([...UNUSUAL_DECIMALS].flatMap(([decimals, codes]) => codes.map((code) => [code, decimals] as const)))

/** Returns a currency's number of decimals; two if the currency is unknown. @param currency a code in any case */
const getDecimals = (currency: string | undefined): number => decimalsByCode.get(currency?.toUpperCase() ?? '') ?? 2

/** Converts an amount in minor units to the currency's major unit, such as euros. */
const toMajorUnits = (amount: number, currency: string | undefined): number => amount / 10 ** getDecimals(currency)

const codes = new Set([...Intl.supportedValuesOf('currency'), ...decimalsByCode.keys()])

/** Returns whether a currency is in ISO 4217. The list depends on the version of Node. @param code in uppercase */
export const isCurrency = (code: string): boolean => codes.has(code)

const formats = new Map<string, Intl.NumberFormat>()
/** Formats amounts without a currency, or with a code that is not in ISO 4217, which gateways occasionally send. */
const plainFormat = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Returns a currency's format, or undefined if the code is not in ISO 4217. @param code in uppercase */
function getFormat(code: string): Intl.NumberFormat | undefined {
  if (formats.has(code) || !codes.has(code)) return formats.get(code)
  const decimals = getDecimals(code)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, ...digits })
  formats.set(code, format)
  return format
}

/**
 * Formats an amount. Assumes two decimals if the currency is unknown.
 *
 * @param amount the amount in minor units, which can be fractional
 * @param currency an ISO 4217 code in any case; an unknown code is written after the number
 */
export function formatMoney(amount: number, currency: string | undefined): string {
  const code = currency?.toUpperCase() ?? ''
  const majorUnits = toMajorUnits(amount, currency)
  return getFormat(code)?.format(majorUnits) ?? [plainFormat.format(majorUnits), code].filter(Boolean).join(' ')
}

/**
 * Converts an amount such as `12.50` to minor units. Assumes two decimals if the currency is unknown.
 *
 * @returns the minor units: a fraction if the amount has more decimals than the currency, 0 if the input is empty, and NaN if it is not a
 *   number
 */
export function toMinorUnits(amount: string, currency: string | undefined): number {
  return Number((Number(amount) * 10 ** getDecimals(currency)).toFixed(6))
}

/**
 * Converts an amount in minor units to a decimal number without a symbol, such as `12.50`. Assumes two decimals if the currency is unknown.
 *
 * @param currency an ISO 4217 code in any case
 */
export function toDecimal(amount: number, currency: string | undefined): string {
  return toMajorUnits(amount, currency).toFixed(getDecimals(currency))
}

/** Returns whether a record's member with this name contains an amount, according to the naming in docs/spec.md. */
export const isAmount = (name: string) => /amount|price|^setupFee(Total|Usd)?$|^discount$/i.test(name)
