/** Amounts are formatted and converted according to the currency's number of decimals. */
import { expect, it } from 'vitest'
import { formatMoney, isAmount, toDecimal, toMinorUnits } from './money'

it.each([
  [2500, 'eur', '€25.00'],
  [2500, 'JPY', '¥2,500'],
  [1234, 'kwd', 'KWD 1.234'],
  [250_000, 'huf', 'HUF 2,500.00'],
  [250_000, 'idr', 'IDR 2,500.00'],
  [250_000, 'isk', 'ISK 2,500.00'],
  [250_000, 'ugx', 'UGX 2,500.00'],
  [2500, 'mga', 'MGA 2,500'],
  [1234, 'iqd', 'IQD 1.234'],
  [-500, 'usd', '-$5.00'],
  [-500, 'cad', '-CA$5.00'],
  [5000, 'sek', 'SEK 50.00'],
  [0, 'eur', '€0.00'],
  [250_000, undefined, '2,500.00'],
  [250_000, 'points', '2,500.00 POINTS'],
  [0, undefined, '0.00'],
])('formats %s %s as %s', (amount, currency, text) => expect(formatMoney(amount, currency).replace('\u00a0', ' ')).toBe(text))

it('formats the same amount in different currencies differently', () => {
  const amounts = Intl.supportedValuesOf('currency').map((currency) => formatMoney(5000, currency))
  expect(amounts.filter((amount, index) => amounts.indexOf(amount) !== index)).toEqual([])
})

it.each(['eur', 'jpy', 'kwd', 'clf', 'zzz', 'points', undefined])('formats, exports and parses the same number in %s', (currency) => {
  const exported = toDecimal(1_234_567, currency)
  expect(formatMoney(1_234_567, currency).replaceAll(/[^\d.]/g, '')).toBe(exported)
  expect(toMinorUnits(exported, currency)).toBe(1_234_567)
})

it.each([
  [1250, 'eur', '12.50'],
  [-5, 'EUR', '-0.05'],
  [800, 'JPY', '800'],
  [1234, 'KWD', '1.234'],
  [100, undefined, '1.00'],
])('formats %i minor units of the currency %s as the decimal number %s', (amount, currency, text) => {
  expect(toDecimal(amount, currency)).toBe(text)
})

it.each([
  ['amount', true],
  ['amountExcludingTax', true],
  ['setupFeeUsd', true],
  ['bookingFeeAmount', true],
  ['originalPrice', true],
  ['percentage', false],
  ['quantity', false],
  ['setupFeeInvoiceItemPaid', false],
  ['screenWidth', false],
  ['capacity', false],
])('returns whether %s is the name of an amount: %s', (name, expected) => expect(isAmount(name)).toBe(expected))

it('converts amounts to minor units according to the currency’s number of decimals', () => {
  expect([toMinorUnits('12.50', 'eur'), toMinorUnits('0.07', 'USD'), toMinorUnits('500', 'jpy'), toMinorUnits('1.234', 'kwd')]).toEqual([
    1250, 7, 500, 1234,
  ])
  expect([toMinorUnits('2500', 'huf'), toMinorUnits('12.50', 'COP'), toMinorUnits('500', 'clp')]).toEqual([250_000, 1250, 500])
  expect([toMinorUnits('1.005', 'eur'), toMinorUnits('x', 'eur'), toMinorUnits('2', '???')]).toEqual([100.5, Number.NaN, 200])
})
