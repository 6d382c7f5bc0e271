/** Defines the sample shop, a music venue with concerts, memberships and merchandise: its checkout pages, goods and customers. */
import type { Random } from './random'

export const SHOP = { name: 'Lantern Hall', email: 'owner@lanternhall.example', timeZone: 'Europe/Amsterdam' }

/** A ticket type of a concert. Prices are in minor units, in this and the other types. */
export type TicketType = { id: string; name: string; price: number; capacity: number }
export type Concert = { kind: 'concert'; id: string; name: string; entryPolicy: 'single' | 'multiple'; ticketTypes: TicketType[] }
type Membership = {
  kind: 'membership'
  id: string
  name: string
  productId: string
  sku: string
  price: number
  interval: 'month' | 'year'
}
type Goods = {
  kind: 'goods'
  id: string
  name: string
  products: { id: string; sku: string; name: string; price: number; sizes: boolean }[]
}
export type Page = Concert | Membership | Goods

/** Returns an ID that does not depend on the time: checkout pages, products and customers have the same IDs in every sample. */
const fixedId = (group: number, number: number) => `65${group.toString(16).padStart(6, '0')}5a117e0e${number.toString(16).padStart(8, '0')}`

const ticketTypes = (page: number, prices: [name: string, price: number, capacity: number][]): TicketType[] =>
  prices.map(([name, price, capacity], index) => ({ id: fixedId(2, page * 16 + index), name, price, capacity }))

export const PAGES: Page[] = [
  {
    kind: 'concert',
    id: fixedId(1, 1),
    name: 'Friday Late Jazz',
    entryPolicy: 'single',
    ticketTypes: ticketTypes(1, [
      ['Standing', 2200, 240],
      ['Balcony', 3400, 80],
    ]),
  },
  {
    kind: 'concert',
    id: fixedId(1, 2),
    name: 'Winter Choir Evening',
    entryPolicy: 'single',
    ticketTypes: ticketTypes(2, [
      ['Hall', 1800, 320],
      ['Front rows', 2900, 60],
    ]),
  },
  {
    kind: 'concert',
    id: fixedId(1, 3),
    name: 'Open Air Weekend',
    entryPolicy: 'multiple',
    ticketTypes: ticketTypes(3, [
      ['Day pass', 4900, 900],
      ['Weekend pass', 8900, 600],
      ['Camping', 12900, 150],
    ]),
  },
  {
    kind: 'concert',
    id: fixedId(1, 4),
    name: 'New Year’s Gala',
    entryPolicy: 'single',
    ticketTypes: ticketTypes(4, [
      ['Gallery', 5900, 200],
      ['Dinner and show', 14900, 120],
    ]),
  },
  {
    kind: 'membership',
    id: fixedId(1, 5),
    name: 'Friend of the Hall',
    productId: fixedId(3, 0x11),
    sku: 'LH-FRIEND',
    price: 900,
    interval: 'month',
  },
  {
    kind: 'membership',
    id: fixedId(1, 6),
    name: 'Patron Circle',
    productId: fixedId(3, 0x12),
    sku: 'LH-PATRON',
    price: 12000,
    interval: 'year',
  },
  {
    kind: 'goods',
    id: fixedId(1, 7),
    name: 'Records & Shirts',
    products: [
      { id: fixedId(3, 1), sku: 'LH-TEE', name: 'Tour shirt', price: 2900, sizes: true },
      { id: fixedId(3, 2), sku: 'LH-LP01', name: 'Live at the Hall, vinyl', price: 3200, sizes: false },
      { id: fixedId(3, 3), sku: 'LH-TOTE', name: 'Canvas bag', price: 1500, sizes: false },
    ],
  },
  {
    kind: 'goods',
    id: fixedId(1, 8),
    name: 'Gift cards',
    products: [{ id: fixedId(3, 4), sku: 'LH-GIFT', name: 'Gift card', price: 5000, sizes: false }],
  },
]

export const concerts = PAGES.filter((page) => page.kind === 'concert')
export const memberships = PAGES.filter((page) => page.kind === 'membership')
export const goods = PAGES.filter((page) => page.kind === 'goods')

/** In `street`, a # marks the place of the house number. */
type Place = { country: string; city: string; state?: string; street: string; postalCode: string; phone: string; locale: string }

export type Customer = {
  id: string
  name: string
  companyName?: string
  email: string
  phone: string
  place: Place
  /** The position in the list of customers. */
  number: number
}

const FIRST = [
  'Ada',
  'Björn',
  'Chiara',
  'Đorđe',
  'Eszter',
  'Femke',
  'Giulia',
  'Håkon',
  'Inês',
  'Jürgen',
  'Kaito',
  'Leïla',
  'Mwangi',
  'Nuria',
  'Øyvind',
  'Priya',
  'Quentin',
  'Rosa',
  'Søren',
  'Thảo',
  'Uma',
  'Vít',
  'Wiktoria',
  'Xóchitl',
  'Yusuf',
  'Zoë',
]
const LAST = [
  'Abebe',
  'de Boer',
  'Castellanos',
  'Dąbrowski',
  'O’Connor',
  'van den Berg',
  'García Núñez',
  'Hägg',
  'Ionescu',
  'Jansen',
  'Kovács',
  'Lindqvist',
  'Müller',
  'Nguyễn',
  'Okafor',
  'Petrović',
  'Rossi',
  'Şahin',
  'Tanaka',
  'Weiß',
  'Yılmaz',
]
const PLACES: Place[] = [
  { country: 'NL', city: 'Utrecht', street: 'Oudegracht #', postalCode: '3511 AB', phone: '+3161234', locale: 'nl' },
  { country: 'NL', city: 'Amsterdam', street: 'Prinsengracht #', postalCode: '1016 GX', phone: '+3161234', locale: 'nl' },
  { country: 'NL', city: 'Groningen', street: 'Herestraat #', postalCode: '9711 LC', phone: '+3161234', locale: 'nl' },
  { country: 'BE', city: 'Ghent', street: 'Veldstraat #', postalCode: '9000', phone: '+3247012', locale: 'nl' },
  { country: 'DE', city: 'Münster', street: 'Salzstraße #', postalCode: '48143', phone: '+491511234', locale: 'de' },
  { country: 'FR', city: 'Lille', street: '# Rue de la Monnaie', postalCode: '59800', phone: '+3361234', locale: 'fr' },
  { country: 'IE', city: 'Cork', street: '# Oliver Plunkett Street', postalCode: 'T12 X8N6', phone: '+35385123', locale: 'en' },
  { country: 'JP', city: 'Osaka', street: 'Shinsaibashisuji #', postalCode: '542-0085', phone: '+81901234', locale: 'ja' },
  { country: 'US', city: 'Portland', state: 'OR', street: '# NW 23rd Avenue', postalCode: '97210', phone: '+1503555', locale: 'en' },
]
const COMPANIES = ['Northlight Studio B.V.', 'Kade & Zonen', 'Blue Door Books', 'Fjord Catering AS']

/** Converts a name to the part of an email address before the @, in ASCII. */
const toEmailName = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('đ', 'd')
    .replaceAll('Đ', 'D')
    .replaceAll('ø', 'o')
    .replaceAll('Ø', 'O')
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .toLowerCase()
    .replace(/[^a-z]+/g, '.')

export function makeCustomers(random: Random, count: number): Customer[] {
  return Array.from({ length: count }, (_, number) => {
    const name = `${random.pick(FIRST)} ${random.pick(LAST)}`
    const place = random.pick(PLACES)
    return {
      number,
      id: fixedId(4, number),
      name,
      ...(random.chance(0.12) ? { companyName: random.pick(COMPANIES) } : {}),
      email: `${toEmailName(name)}${number}@${random.pick(['example.com', 'example.net', 'example.org'])}`,
      phone: `${place.phone}${String(number).padStart(4, '0')}`,
      place,
    }
  })
}
