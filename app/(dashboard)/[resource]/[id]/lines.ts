/** Builds the line items of an order: the product with its variants and options, or a booking's tickets. */
import { recordCopy } from '@/app/copy/record'
import { asNumber, asText, type Entry, type EntryContext, formatAmount, formatMember, makeEntries } from './entries'
import type { Member, Members } from './members'

export type Line = {
  key: string
  title: string
  /** Whether the line is an option. Options are indented below their variant. */
  isOption: boolean
  quantity?: string
  /** The price per unit. */
  price?: string
  /** The price per unit before a discount, if it differs. */
  originalPrice?: string
  /** The price times the quantity. */
  total?: string
  details: Entry[]
}

/** The parts of a line, before they are formatted. */
type Parts = {
  title?: string | undefined
  quantity?: Member | undefined
  price?: Member | undefined
  originalPrice?: Member | undefined
  rest: Member[]
}

/** @param fallbackTitle the title if the item has no name */
function makeLine(
  key: string,
  isOption: boolean,
  fallbackTitle: string,
  { title, quantity, price, originalPrice, rest }: Parts,
  context: EntryContext,
): Line {
  const [unitPrice, count] = [asNumber(price?.value), asNumber(quantity?.value) ?? 1]
  return {
    key,
    isOption,
    title: title ?? fallbackTitle,
    ...(quantity ? { quantity: formatMember(quantity, context) } : {}),
    ...(price ? { price: formatMember(price, context) } : {}),
    ...(price && unitPrice !== undefined ? { total: formatAmount(price.path, unitPrice * count, context) } : {}),
    ...(originalPrice && originalPrice.value !== price?.value ? { originalPrice: formatMember(originalPrice, context) } : {}),
    details: makeEntries(rest, context),
  }
}

/** Returns the paths of the items of a list, such as `tickets[0]`. */
export const listItemPaths = (members: Members, path: string) =>
  Array.from({ length: members.count(path) }, (_, index) => `${path}[${index}]`)

/** Returns the product's name, falling back to the name of the checkout page that sold it. */
function findProductName(members: Members, { productNames, pageNames }: EntryContext): string | undefined {
  const [product, page] = ['productId', 'pageId'].map((name) => asText(members.at(name)) ?? '')
  return productNames.get(product ?? '') ?? pageNames.get(page ?? '')
}

function takeProductLine(members: Members, context: EntryContext): Line[] {
  const title = findProductName(members, context)
  const [regular, original] = [members.take('productPrice'), members.take('discountedFromPrice')]
  const price = members.take('payWhatYouWantPrice') ?? regular
  // The customer may have chosen a price above the regular one, so it must not look discounted.
  const isRegular = price?.value === regular?.value
  const parts = {
    quantity: members.take('quantity'),
    price,
    originalPrice: isRegular ? original : undefined,
    rest: [members.take('productId'), members.take('sku'), members.take('licenseKeyId'), ...(isRegular ? [] : [regular, original])].flatMap(
      (member) => member ?? [],
    ),
  }
  const { rest, ...named } = parts
  if (rest.length === 0 && Object.values(named).every((member) => member === undefined)) return []
  return [makeLine('product', false, recordCopy.product, { ...parts, title }, context)]
}

function takeOptionLine(members: Members, path: string, context: EntryContext): Line {
  const parts = {
    title: asText(members.take(`${path}.optionName`)?.value),
    quantity: members.take(`${path}.quantity`),
    price: members.take(`${path}.additionalChargeAmount`),
    originalPrice: members.take(`${path}.originalAdditionalChargeAmount`),
  }
  return makeLine(path, true, recordCopy.option, { ...parts, rest: members.takeUnder(path) }, context)
}

function takeVariantLines(members: Members, context: EntryContext): Line[] {
  return listItemPaths(members, 'variants').flatMap((path) => {
    const options = listItemPaths(members, `${path}.selectedOptions`).map((option) => takeOptionLine(members, option, context))
    const title = asText(members.take(`${path}.name`)?.value)
    return [makeLine(path, false, recordCopy.variant, { title, rest: members.takeUnder(path) }, context), ...options]
  })
}

function takeTicketLines(members: Members, context: EntryContext): Line[] {
  return listItemPaths(members, 'tickets').map((path) => {
    const parts = {
      title: asText(members.take(`${path}.name`)?.value),
      quantity: members.take(`${path}.quantity`),
      price: members.take(`${path}.price`),
      originalPrice: members.take(`${path}.originalPrice`),
    }
    return makeLine(path, false, recordCopy.ticket, { ...parts, rest: members.takeUnder(path) }, context)
  })
}

/** Takes the members of an order's items and builds their lines. */
export const takeLines = (members: Members, context: EntryContext): Line[] => [
  ...takeProductLine(members, context),
  ...takeVariantLines(members, context),
  ...takeTicketLines(members, context),
]
