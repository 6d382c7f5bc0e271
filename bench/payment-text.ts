/** Generates realistic payments of 2.6 kB of JSON each. Customers have several orders, and names and values range from common to rare. */

const FIRST_NAMES = 'ada ben cleo dana eli fay gus hana ivo jade kim lena mila noor otto pia quinn rosa sami tess uma vera wim yara'.split(
  ' ',
)
const LAST_NAMES = 'rivera okafor jansen silva novak meyer rossi dubois larsen kowalski haddad tanaka costa weber moreau lind'.split(' ')
const SYLLABLES = 'ba che do fi gra hu jo ka le mir no pa qui ro sta tu ve wy xa zo'.split(' ')

/** The statuses, with the number of payments per thousand that have each. */
const STATUSES: [status: string, count: number][] = [
  ['paid', 780],
  ['refunded', 60],
  ['failed', 55],
  ['pending', 30],
  ['draft_expired', 25],
  ['canceled', 20],
  ['partial_refund', 12],
  ['unpaid', 8],
  ['partially_paid', 5],
  ['created', 3],
  ['draft', 2],
]
const STATUS_BY_NUMBER = STATUSES.flatMap(([status, count]) => Array.from({ length: count }, () => status))
const CURRENCIES = [...Array<string>(17).fill('eur'), 'usd', 'usd', 'gbp']

/** The reasons why payments fail, most common first. */
const ERRORS = [
  'Your card was declined.',
  'Your card has insufficient funds.',
  'The customer did not confirm the payment in time.',
  'Your card has expired.',
  "Your card's security code is incorrect.",
  'The bank did not answer.',
  'An error occurred while processing your card. Try again in a little bit.',
  'Your card does not support this type of purchase.',
]

/** The number of coupons and the fraction of orders that use one. The most popular coupon is used in an eighth of all orders. */
const COUPONS = 30
const COUPON_FRACTION = 0.3
export const toCouponId = (coupon: number) => `65a0b1c2d3e4f5a6b7ca${coupon.toString(16).padStart(4, '0')}`
export const toCouponCode = (coupon: number) => `SAVE${coupon}`

/** The number of checkout pages. Most orders come from a few of them. */
const PAGES = 400
export const toPageId = (page: number) => `65a0b1c2d3e4f5a6b7c8${page.toString(16).padStart(4, '0')}`

/** The creation time of a seller's newest record. Groups of four records are 252 seconds apart, so a million records span two years. */
export const NEWEST = Date.UTC(2026, 9, 1)
const GROUP_INTERVAL_MS = 252_000

/** Returns a 32-bit hash of a number, used as a reproducible source of randomness. */
function hash(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0').slice(-length)

const ADDRESS =
  '{"line1":"64 Quay Street","line2":"Door 3, second floor","city":"Rotterdam","postalCode":"3011 AB","state":"Zuid-Holland","country":"NL"}'

/** Members that are the same in every record and make it as long as a real one. */
const SHARED_MEMBERS = [
  '"amountDue":0,"amountExcludingTax":4793,"taxAmount":1007',
  '"taxBreakdown":[{"taxType":"vat","taxabilityReason":"standard_rated","taxableAmount":4793,"taxAmount":1007,"taxRateDetails":{"country":"NL","percentageDecimal":21,"state":"","taxType":"vat"}}]',
  '"gatewayTaxCalculationId":"taxcalc_1QmZyB2eZvKYlo2C","gatewayTaxTransactionId":"tax_1QmZyC2eZvKYlo2C"',
  '"fees":[{"name":"Card fee","amount":166,"percentage":2.9},{"name":"Service fee","amount":98,"percentage":1.5}]',
  `"billing":{"name":"NAME","email":"billing@example.net","phone":"+31612340063","address":${ADDRESS}}`,
  '"fields":[{"fieldId":"65a0b1c2d3e4f5a6b7c8f000","label":"Dietary wishes","value":"Vegetarian, no nuts please","element":"text","type":"short","reference":"ref_0","meta":"step-2"},{"fieldId":"65a0b1c2d3e4f5a6b7c8f001","label":"How did you hear of us?","value":"A friend told me at the last event","element":"select","type":"choice","reference":"ref_1","meta":"step-2"}]',
  '"paymentMethod":{"gateway":"gateway","method":"card","wallet":"apple_pay","mode":"default","brand":"visa","last4":"0216","country":"NL","exp_month":9,"exp_year":2028,"funding":"credit"}',
  '"locale":"nl","userAgent":"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1","screenWidth":390',
  '"queryParameters":{"utm_source":"newsletter","utm_medium":"email","utm_campaign":"spring & summer","ref":"friends"}',
  '"upsell":false,"transactionIds":["txn_3QmZyB2eZvKYlo2C1a2b3c4d"],"isAbandoned":false',
].join(',')

const TRAILING_MEMBERS =
  '"productId":"65a0b1c2d3e4f5a6b7c8a001","productPrice":2900,"quantity":2,"sku":"SKU-4","variants":[{"name":"Size","variantId":"65a0b1c2d3e4f5a6b7c8a002","reference":"size","selectionType":"single","selectedOptions":[{"optionId":"65a0b1c2d3e4f5a6b7c8a003","optionName":"M","sku":"TEE-M","quantity":1,"additionalChargeAmount":200,"originalAdditionalChargeAmount":200}]}]'

/** Returns the ID of a seller's nth newest payment. */
export function paymentId(seller: number, nth: number): string {
  const seconds = Math.floor((NEWEST - Math.floor(nth / 4) * GROUP_INTERVAL_MS) / 1000)
  return hex(seconds, 8) + hex(hash(nth + seller * 7_919), 8) + hex(seller, 2) + hex(0xffffff - nth, 6)
}

/** Returns a pseudo-random number in [0, 1) for a value. */
const fraction = (value: number) => hash(value) / 2 ** 32

/** Picks an item, favoring those at the start. @param chance a random number in [0, 1) */
const pickSkewed = (items: readonly string[], chance: number) => items[Math.floor(items.length * chance ** 2)] ?? ''

/** Returns a name shared by few people. @param seed a random integer */
const makeRareName = (seed: number) => [0, 1, 2].map((place) => SYLLABLES[(seed >>> (5 * place)) % SYLLABLES.length]).join('')

/** Returns a payment's customer. Customers with low numbers have the most orders. */
function makeCustomer(seller: number, nth: number): { name: string; email: string; id: string } {
  const person = Math.floor(fraction(nth * 17 + seller) ** 2 * (1_000 + nth / 2))
  const seed = hash(person * 13 + seller)
  const first = seed % 5 === 0 ? makeRareName(seed >>> 4) : pickSkewed(FIRST_NAMES, fraction(person + 1))
  const last = seed % 3 === 0 ? makeRareName(seed >>> 7) : pickSkewed(LAST_NAMES, fraction(person + 2))
  const domain = seed % 4 === 0 ? 'example.net' : seed % 64 === 1 ? 'example.org' : 'example.com'
  const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  return {
    name: `${capitalize(first)} ${capitalize(last)}`,
    email: `${first}.${last}${person}@${domain}`,
    id: hex(seller, 4) + hex(person, 20),
  }
}

/** Returns the JSON members for a payment's coupon and error, if any. */
function makeOptionalMembers(status: string, seed: number): string {
  const error = status === 'failed' ? `"paymentError":"${pickSkewed(ERRORS, fraction(seed + 1))}",` : ''
  if (fraction(seed + 2) >= COUPON_FRACTION) return error
  const coupon = Math.floor(COUPONS * fraction(seed + 3) ** 4)
  return `${error}"coupon":{"id":"${toCouponId(coupon)}","label":"Spring sale","code":"${toCouponCode(coupon)}","percentOff":10,"discount":${100 + (seed % 200) * 5}},`
}

type PaymentText = {
  /** The stored record, without secrets. */
  record: string
  secrets: string
}

/**
 * Returns a payment.
 *
 * @param sellerId the seller's ID
 * @param seller the seller's number, from 0
 * @param nth the number of newer payments of the seller
 * @param isShort whether the record is only a third of the usual length, as for filler sellers
 */
export function paymentText(sellerId: string, seller: number, nth: number, isShort = false): PaymentText {
  const seed = hash(nth * 31 + seller)
  const id = paymentId(seller, nth)
  const createdAt = new Date(NEWEST - Math.floor(nth / 4) * GROUP_INTERVAL_MS).toISOString()
  const status = STATUS_BY_NUMBER[seed % 1_000] ?? 'paid'
  const pageId = toPageId(Math.floor(PAGES * fraction(nth * 7 + seller) ** 3))
  const customer = makeCustomer(seller, nth)
  const currency = CURRENCIES[(seed >>> 10) % CURRENCIES.length]
  const amount = 1000 + (seed % 200) * 50
  const rest = isShort ? '"amountDue":0' : makeOptionalMembers(status, seed) + SHARED_MEMBERS.replace('NAME', customer.name)
  return {
    record: `{"id":"${id}","sellerId":"${sellerId}","orderId":"OR-${1_000_000 + nth}","orderStatus":"fulfilled","customerEmail":"${customer.email}","customerId":"${customer.id}","pageId":"${pageId}","currency":"${currency}","amount":${amount},"amountPaid":${amount},${rest},"livemode":true,"status":"${status}","sessionId":"sess_${id}","visitId":"vis_${id}","gatewayPaymentIntentId":"pi_${id}","gatewayChargeId":"ch_${id}","invoiceId":"inv_${id}","createdAt":"${createdAt}","updatedAt":"${createdAt}"${isShort ? '' : `,${TRAILING_MEMBERS}`}}`,
    secrets: `{"gatewayPaymentIntentClientSecret":"pi_${id}_secret_${id}"}`,
  }
}

/** Returns a payment, including its client secret, as a line of an import file. */
export function paymentLine(sellerId: string, seller: number, nth: number): string {
  const { record, secrets } = paymentText(sellerId, seller, nth)
  return `${record.slice(0, -1)},${secrets.slice(1)}\n`
}

/** Yields the numbers below `count` in a reproducible pseudo-random order. */
export function* shuffled(count: number): Generator<number> {
  const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))
  let stride = Math.floor(count * 0.618_034) || 1
  while (greatestCommonDivisor(stride, count) > 1) stride += 1
  for (let index = 0; index < count; index += 1) yield (index * stride) % count
}
