/** Defines the benchmarks of searches. */
import type { Context } from './context'
import { againstCount, alternate, type Benchmark, countTimes, type Figure, sequentialFigure, short } from './figure'
import { median, type Target, time } from './load'

/** Returns all substrings of the given lengths from a text that is in every record. */
function commonTerms(lengths: number[]): string[] {
  const text = '@example.'
  return lengths.flatMap((length) => Array.from({ length: text.length - length + 1 }, (_, i) => text.slice(i, i + length)))
}

/** A seller to search, on the product's server for one of the tables. */
export type Shop = { url: string; headers: Record<string, string>; touch(): Promise<void>; records: number; databaseUrl: string }

const search = ({ url, headers }: Shop, term: string, filter: string): Target => ({
  url: `${url}/v1/payments?search=${encodeURIComponent(term)}${filter}`,
  headers,
})

export const smallShop = ({ small, manyOfSmall, touchSmall, records, smallUrl }: Context): Shop => ({
  url: small.url,
  headers: manyOfSmall,
  touch: touchSmall,
  records,
  databaseUrl: smallUrl,
})
const largeShop = ({ large, many, touchLarge, records, largeUrl }: Context): Shop => ({
  url: large.url,
  headers: many,
  touch: touchLarge,
  records,
  databaseUrl: largeUrl,
})

const orderedShop = ({ ordered, manyOfOrdered, touchOrdered, records, orderedUrl }: Context): Shop => ({
  url: ordered.url,
  headers: manyOfOrdered,
  touch: touchOrdered,
  records,
  databaseUrl: orderedUrl,
})

const parseLastId = (body: string) => (JSON.parse(body) as { data: { id: string }[] }).data.at(-1)?.id

/** Measures pages of a search whose total is cached: repeated requests for the first page, and the pages after it. */
async function measurePages(shop: Shop, term: string, filter: string): Promise<{ first: number[]; next: number[] }> {
  await time(search(shop, term, filter))
  const pages = { first: [] as number[], next: [] as number[] }
  for (let round = 0; round < 20; round += 1) {
    const { whole, body } = await time(search(shop, term, filter))
    pages.first.push(whole)
    let cursor = parseLastId(body)
    for (let page = 0; page < 3 && cursor; page += 1) {
      const next = await time(search(shop, term, `${filter}&starting_after=${cursor}`))
      pages.next.push(next.whole)
      cursor = parseLastId(next.body)
    }
  }
  return pages
}

/** Measures searches whose total is not cached, because each one follows a write. */
export async function measureFirstTotals(shop: Shop, terms: string[], filter: string): Promise<number[]> {
  const times: number[] = []
  for (const term of terms) {
    await shop.touch()
    times.push((await time(search(shop, term, filter))).whole)
  }
  return times
}

/** Returns order numbers that each match one record. */
export const rareTerms = ({ records }: Shop) =>
  Array.from({ length: 40 }, (_, i) => `or-1${String((i * 24_571) % records).padStart(6, '0')}`)

/** Measures searches in the large table, whose trigram index the sellers of a partition share: it also contains other sellers' records. */
export const searchLargeBenchmark: Benchmark = {
  id: 'search-large',
  async measure(context) {
    const shop = largeShop(context)
    const figure = sequentialFigure(
      'search in the large table, rare term, first total',
      0.25,
      await measureFirstTotals(shop, rareTerms(shop), ''),
    )
    return [againstCount(figure, await countTimes(shop.databaseUrl))]
  },
}

/** Terms that match 1,000 to 15,000 of a million records. */
const MODERATELY_COMMON = ['example.org', 'rivera12', '99@', 'ben.o', '999@', 'gus.r', 'noor.j', '777']

/** Worst-case terms: some with few trigrams, some with common trigrams but no match, and one for each order of magnitude of matches. */
const WORST_CASES = [
  ...['zq', 'qj', '7q', '@q', 'ada', 'riv', 'ada.', 'rivera1', 'ada.rivera', '000111', '.org', 'example.org', 'comexa'],
  ...['-12', '99@', 'or-1999', 'zzz'],
]

/** Compares searches of records in random order with the same searches of records in chronological order. */
export const searchOrderBenchmark: Benchmark = {
  id: 'search-order',
  async measure(context) {
    const terms = {
      'rare term': rareTerms(smallShop(context)).slice(0, 10),
      'thousands of matches': MODERATELY_COMMON,
      'common term': ['example', 'e', 'ex'],
    }
    const figures: Figure[] = []
    for (const [name, group] of Object.entries(terms)) {
      const [random, ordered] = await alternate(
        context,
        async () => median(await measureFirstTotals(smallShop(context), group, '')),
        async () => median(await measureFirstTotals(orderedShop(context), group, '')),
      )
      const rounds = random.map((one, round) => one / (ordered[round] ?? Number.NaN))
      figures.push({
        name: `search in random order relative to chronological order, ${name}`,
        goal: { atMost: 1.2 },
        value: median(rounds),
        unit: '× the time',
        rounds,
        ours: `${short(median(random))} ms`,
        reference: `${short(median(ordered))} ms`,
        steadiness: ordered,
      })
    }
    return figures
  },
}

/**
 * Creates the benchmark of searches with a filter.
 *
 * @param suffix the part of the figures' names that describes the filter
 * @param filter the filter as query parameters, beginning with `&`; an empty string for none
 * @param factor the factor by which the goals for searches without a filter are multiplied
 */
export const searchBenchmark = (id: string, suffix: string, filter: string, factor: number): Benchmark => ({
  id,
  async measure(context) {
    const name = `search${suffix}`
    const shop = smallShop(context)
    const orders = rareTerms(shop)
    // Warms up caches, plans and compiled code, as the other benchmarks do.
    await measureFirstTotals(shop, [...orders.slice(0, 10), ...MODERATELY_COMMON, ...commonTerms([1, 2]).slice(0, 5)], filter)
    const counts = await countTimes(shop.databaseUrl)
    const rare = await measureFirstTotals(shop, orders, filter)
    const moderate = await measureFirstTotals(shop, MODERATELY_COMMON, filter)
    const broad = await measurePages(shop, 'example', filter)
    const letters = await measurePages(shop, 'e', filter)
    const pairs = await measurePages(shop, 'ex', filter)
    const totals = await measureFirstTotals(shop, commonTerms([1, 2, 7]).slice(0, 15), filter)
    // Each term's time is the median of three searches, so that a machine pause does not make the term look slow.
    const rounds = [
      await measureFirstTotals(shop, WORST_CASES, filter),
      await measureFirstTotals(shop, WORST_CASES, filter),
      await measureFirstTotals(shop, WORST_CASES, filter),
    ]
    const worst = WORST_CASES.map((_, i) => median(rounds.flatMap((times) => times[i] ?? [])))
    counts.push(...(await countTimes(shop.databaseUrl)))
    const ratio = (...figure: Parameters<typeof sequentialFigure>) => againstCount(sequentialFigure(...figure), counts)
    return [
      ratio(`${name}, rare term, first total`, 0.15 * factor, rare),
      ratio(`${name}, thousands of matches, first total`, 0.5 * factor, moderate),
      ratio(`${name}, common term, one and two letters: first total`, 0.8 * factor, totals),
      ratio(`${name}, worst-case terms: slowest`, 1.25 * factor, worst, 'longest'),
      sequentialFigure(`${name}, common term: same page again`, 10, broad.first),
      sequentialFigure(`${name}, one letter: same page again`, 10, letters.first),
      sequentialFigure(`${name}, two letters: same page again`, 10, pairs.first),
      sequentialFigure(`${name}, common term, one and two letters: next pages`, 10, [...broad.next, ...letters.next, ...pairs.next]),
    ]
  },
})
