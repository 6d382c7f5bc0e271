/** Formats amounts in minor currency units for display: 2500 is €25.00, or ¥2,500. */

const formats = new Map<string, Intl.NumberFormat | undefined>()

function getFormat(currency: string): Intl.NumberFormat | undefined {
  const code = currency.toUpperCase()
  if (!formats.has(code)) {
    try {
      formats.set(code, new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' }))
    } catch {
      // Not an ISO 4217 code. Gateways send such codes occasionally.
      formats.set(code, undefined)
    }
  }
  return formats.get(code)
}

/**
 * Formats an amount.
 *
 * @param amount the amount in minor units, which can be fractional
 * @param currency an ISO 4217 code in any case; an unknown code is written after the plain number
 */
export function formatMoney(amount: number, currency: string | undefined): string {
  const format = currency === undefined ? undefined : getFormat(currency)
  if (!format) return [amount.toLocaleString('en'), currency?.toUpperCase()].filter(Boolean).join(' ')
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(amount / 10 ** decimals)
}

/**
 * Converts an amount such as `12.50` to minor units. Assumes two decimals if the currency is unknown.
 *
 * @returns the minor units: not a whole number if the amount has more decimals than the currency, and NaN if the input is not a number
 */
export function toMinorUnits(amount: string, currency: string | undefined): number {
  const decimals = (currency === undefined ? undefined : getFormat(currency))?.resolvedOptions().maximumFractionDigits ?? 2
  return Number((Number(amount) * 10 ** decimals).toFixed(6))
}

/** Returns an amount in minor units as a decimal number without a symbol, such as `12.50`. @param currency as in `formatMoney` */
export function toDecimal(amount: number, currency: string | undefined): string {
  const decimals = (currency ? getFormat(currency) : undefined)?.resolvedOptions().maximumFractionDigits ?? 2
  return (amount / 10 ** decimals).toFixed(decimals)
}

/** Returns whether a member with this name contains an amount, according to the spec's naming. */
export const isAmount = (name: string) => /amount|price|^setupFee(Total|Usd)?$|^discount$/i.test(name)
