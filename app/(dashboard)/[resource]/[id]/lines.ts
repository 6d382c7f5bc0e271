/** Builds the line items of an order: the product with its variants and options, or a booking's tickets. */
import { recordCopy } from '@/app/copy/record'
import { asNumber, asText, type Entry, type EntryContext, formatAmount, formatMember, makeEntries } from './entries'
import type { Member, Members } from './members'

export type Line = {
  key: string
  title: string
  /** Whether the line is an option, which is indented below its variant. */
  isOption: boolean
  quantity?: string
  /** The price per unit. */
  price?: string
  /** The price per unit before a discount, if it differs. */
  was?: string
  /** The price times the quantity. */
  total?: string
  details: Entry[]
}

/** The parts of a line. `rest` contains the members that are shown as details. */
type Parts = {
  title?: string | undefined
  quantity?: Member | undefined
  price?: Member | undefined
  was?: Member | undefined
  rest: Member[]
}

/** @param unnamed the title of an item without a name */
function makeLine(
  key: string,
  isOption: boolean,
  unnamed: string,
  { title, quantity, price, was, rest }: Parts,
  context: EntryContext,
): Line {
  const [unit, count] = [asNumber(price?.value), asNumber(quantity?.value) ?? 1]
  return {
    key,
    isOption,
    title: title ?? unnamed,
    ...(quantity ? { quantity: formatMember(quantity, context) } : {}),
    ...(price ? { price: formatMember(price, context) } : {}),
    ...(price && unit !== undefined ? { total: formatAmount(price.path, unit * count, context) } : {}),
    ...(was && was.value !== price?.value ? { was: formatMember(was, context) } : {}),
    details: makeEntries(rest, context),
  }
}

/** Returns the paths of the items of a list, such as `tickets[0]`. */
export const listItemPaths = (members: Members, path: string) =>
  Array.from({ length: members.count(path) }, (_, index) => `${path}[${index}]`)

/** Returns the product's name, or else the name of the checkout page where it was sold. */
function productName(members: Members, { productNames, pageNames }: EntryContext): string | undefined {
  const [product, page] = ['productId', 'pageId'].map((name) => asText(members.at(name)) ?? '')
  return productNames.get(product ?? '') ?? pageNames.get(page ?? '')
}

function productLine(members: Members, context: EntryContext): Line[] {
  const title = productName(members, context)
  const [regular, original] = [members.take('productPrice'), members.take('discountedFromPrice')]
  const price = members.take('payWhatYouWantPrice') ?? regular
  // A price that the customer chose may be higher than the regular one, so it must not look like a reduced price.
  const isRegular = price?.value === regular?.value
  const parts = {
    quantity: members.take('quantity'),
    price,
    was: isRegular ? original : undefined,
    rest: [members.take('productId'), members.take('sku'), members.take('licenseKeyId'), ...(isRegular ? [] : [regular, original])].flatMap(
      (member) => member ?? [],
    ),
  }
  const { rest, ...named } = parts
  if (rest.length === 0 && Object.values(named).every((member) => member === undefined)) return []
  return [makeLine('product', false, recordCopy.product, { ...parts, title }, context)]
}

function optionLine(members: Members, path: string, context: EntryContext): Line {
  const parts = {
    title: asText(members.take(`${path}.optionName`)?.value),
    quantity: members.take(`${path}.quantity`),
    price: members.take(`${path}.additionalChargeAmount`),
    was: members.take(`${path}.originalAdditionalChargeAmount`),
  }
  return makeLine(path, true, recordCopy.option, { ...parts, rest: members.takeUnder(path) }, context)
}

function variantLines(members: Members, context: EntryContext): Line[] {
  return listItemPaths(members, 'variants').flatMap((path) => {
    const options = listItemPaths(members, `${path}.selectedOptions`).map((option) => optionLine(members, option, context))
    const title = asText(members.take(`${path}.name`)?.value)
    return [makeLine(path, false, recordCopy.variant, { title, rest: members.takeUnder(path) }, context), ...options]
  })
}

function ticketLines(members: Members, context: EntryContext): Line[] {
  return listItemPaths(members, 'tickets').map((path) => {
    const parts = {
      title: asText(members.take(`${path}.name`)?.value),
      quantity: members.take(`${path}.quantity`),
      price: members.take(`${path}.price`),
      was: members.take(`${path}.originalPrice`),
    }
    return makeLine(path, false, recordCopy.ticket, { ...parts, rest: members.takeUnder(path) }, context)
  })
}

/** Takes the members of an order's items and builds their lines. */
export const takeLines = (members: Members, context: EntryContext): Line[] => [
  ...productLine(members, context),
  ...variantLines(members, context),
  ...ticketLines(members, context),
]
