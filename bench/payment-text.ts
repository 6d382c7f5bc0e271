/** Generates payments as rows for COPY: 2.6 kB of JSON each, and the columns that a trigger would derive. */

export const FIRST_NAMES =
  'ada ben cleo dana eli fay gus hana ivo jade kim lena mila noor otto pia quinn rosa sami tess uma vera wim yara'.split(' ')
const LAST_NAMES = 'rivera okafor jansen silva novak meyer rossi dubois larsen kowalski haddad tanaka costa weber moreau lind'.split(' ')

/** The weights of the statuses, in percent. */
const STATUSES: [status: string, weight: number][] = [
  ['paid', 80],
  ['refunded', 6],
  ['failed', 5],
  ['pending', 4],
  ['partial_refund', 2],
  ['canceled', 2],
  ['unpaid', 1],
]
const STATUS_OF = STATUSES.flatMap(([status, weight]) => Array.from({ length: weight }, () => status))

const PAGES = 40
export const pageIdOf = (page: number) => `65a0b1c2d3e4f5a6b7c8${page.toString(16).padStart(4, '0')}`

/** The creation time of a seller's newest record; earlier ones are 20 seconds apart, in groups of four. */
const NEWEST = Date.UTC(2026, 9, 1)
const APART_MS = 20_000

/** Returns a pseudo-random number, which is the same in each run. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0').slice(-length)

const ADDRESS =
  '{"line1":"64 Quay Street","line2":"Door 3, second floor","city":"Rotterdam","postalCode":"3011 AB","state":"Zuid-Holland","country":"NL"}'

/** Constant members that make the record as long as a real one. */
const REST = [
  '"amountDue":0,"amountExcludingTax":4793,"taxAmount":1007',
  '"taxBreakdown":[{"taxType":"vat","taxabilityReason":"standard_rated","taxableAmount":4793,"taxAmount":1007,"taxRateDetails":{"country":"NL","percentageDecimal":21,"state":"","taxType":"vat"}}]',
  '"gatewayTaxCalculationId":"taxcalc_1QmZyB2eZvKYlo2C","gatewayTaxTransactionId":"tax_1QmZyC2eZvKYlo2C"',
  '"fees":[{"name":"Card fee","amount":166,"percentage":2.9},{"name":"Service fee","amount":98,"percentage":1.5}]',
  `"billing":{"name":"Lena D’Angelo","email":"billing@example.net","phone":"+31612340063","address":${ADDRESS}}`,
  '"fields":[{"fieldId":"65a0b1c2d3e4f5a6b7c8f000","label":"Dietary wishes","value":"Vegetarian, no nuts please","element":"text","type":"short","reference":"ref_0","meta":"step-2"},{"fieldId":"65a0b1c2d3e4f5a6b7c8f001","label":"How did you hear of us?","value":"A friend told me at the last event","element":"select","type":"choice","reference":"ref_1","meta":"step-2"}]',
  '"paymentMethod":{"gateway":"gateway","method":"card","wallet":"apple_pay","mode":"default","brand":"visa","last4":"0216","country":"NL","exp_month":9,"exp_year":2028,"funding":"credit"}',
  '"locale":"nl","userAgent":"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1","screenWidth":390',
  '"queryParameters":{"utm_source":"newsletter","utm_medium":"email","utm_campaign":"spring & summer","ref":"friends"}',
  '"upsell":false,"transactionIds":["txn_3QmZyB2eZvKYlo2C1a2b3c4d"],"isAbandoned":false',
].join(',')

const TAIL =
  '"productId":"65a0b1c2d3e4f5a6b7c8a001","productPrice":2900,"quantity":2,"sku":"SKU-4","variants":[{"name":"Size","variantId":"65a0b1c2d3e4f5a6b7c8a002","reference":"size","selectionType":"single","selectedOptions":[{"optionId":"65a0b1c2d3e4f5a6b7c8a003","optionName":"M","sku":"TEE-M","quantity":1,"additionalChargeAmount":200,"originalAdditionalChargeAmount":200}]}]'

export const COPY_COLUMNS = 'seller_id, record, id, created_at, search, secrets, status, page_id, amount, currency, livemode'

/** Returns the ID of a seller's nth newest payment. */
export function paymentId(seller: number, nth: number): string {
  const seconds = Math.floor((NEWEST - Math.floor(nth / 4) * APART_MS) / 1000)
  return hex(seconds, 8) + hex(scramble(nth + seller * 7_919), 8) + hex(seller, 2) + hex(0xffffff - nth, 6)
}

/**
 * Returns one line in COPY's text format.
 *
 * @param sellerId the seller's ID
 * @param seller its number, from 0
 * @param nth the number of newer payments of the seller
 * @param short true for a record a third as long, for sellers that only fill the table
 */
export function paymentLine(sellerId: string, seller: number, nth: number, short = false): string {
  const chance = scramble(nth * 31 + seller)
  const id = paymentId(seller, nth)
  const at = new Date(NEWEST - Math.floor(nth / 4) * APART_MS).toISOString()
  const status = STATUS_OF[chance % 100] ?? 'paid'
  // Half of the payments belong to one of eight checkout pages, as in real shops.
  const page = (chance >>> 8) % (chance & 128 ? PAGES : PAGES / 8)
  const pageId = pageIdOf(page)
  const first = FIRST_NAMES[(chance >>> 5) % FIRST_NAMES.length]
  const last = LAST_NAMES[(chance >>> 11) % LAST_NAMES.length]
  const domain = chance % 4 === 0 ? 'example.net' : chance % 64 === 1 ? 'example.org' : 'example.com'
  const email = `${first}.${last}${chance % 100_000}@${domain}`
  const orderId = `OR-${1_000_000 + nth}`
  const amount = 1000 + (chance % 200) * 50
  const record = `{"id":"${id}","sellerId":"${sellerId}","orderId":"${orderId}","orderStatus":"fulfilled","customerEmail":"${email}","customerId":"${id}","pageId":"${pageId}","currency":"eur","amount":${amount},"amountPaid":${amount},${short ? '"amountDue":0' : REST},"livemode":true,"status":"${status}","sessionId":"sess_${id}","visitId":"vis_${id}","gatewayPaymentIntentId":"pi_${id}","gatewayChargeId":"ch_${id}","invoiceId":"inv_${id}","createdAt":"${at}","updatedAt":"${at}"${short ? '' : `,${TAIL}`}}`
  const secrets = `{"gatewayPaymentIntentClientSecret":"pi_${id}_secret_${id}"}`
  return `${sellerId}\t${record}\t${id}\t${at}\t${email}\\x01${orderId.toLowerCase()}\t${secrets}\t${status}\t${pageId}\t${amount}\teur\tt\n`
}
