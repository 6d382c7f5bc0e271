/** Defines the search benchmarks. */
import postgres from 'postgres'
import type { Context } from './context'
import { alternate, type Benchmark, type Figure, formatNumber, measureCountTimes, relativeToCount, sequentialFigure } from './figure'
import { median, type Target, timeRequest } from './load'

/** Returns all substrings of the given lengths of a text that occurs in every record. */
function commonTerms(lengths: number[]): string[] {
  const text = '@example.'
  return lengths.flatMap((length) => Array.from({ length: text.length - length + 1 }, (_, i) => text.slice(i, i + length)))
}

/** The main seller of one of the tables, and the server to send search requests to. */
type SearchTarget = {
  url: string
  headers: Record<string, string>
  invalidateTotals(): Promise<void>
  records: number
  databaseUrl: string
}

const searchRequest = ({ url, headers }: SearchTarget, term: string, filter: string): Target => ({
  url: `${url}/v1/payments?search=${encodeURIComponent(term)}${filter}`,
  headers,
})

const smallTarget = ({ small, smallHeaders, invalidateSmallTotals, records, smallUrl }: Context): SearchTarget => ({
  url: small.url,
  headers: smallHeaders,
  invalidateTotals: invalidateSmallTotals,
  records,
  databaseUrl: smallUrl,
})
const largeTarget = ({ large, largeHeaders, invalidateLargeTotals, records, largeUrl }: Context): SearchTarget => ({
  url: large.url,
  headers: largeHeaders,
  invalidateTotals: invalidateLargeTotals,
  records,
  databaseUrl: largeUrl,
})

const orderedTarget = ({ ordered, orderedHeaders, invalidateOrderedTotals, records, orderedUrl }: Context): SearchTarget => ({
  url: ordered.url,
  headers: orderedHeaders,
  invalidateTotals: invalidateOrderedTotals,
  records,
  databaseUrl: orderedUrl,
})

const parseLastId = (body: string) => (JSON.parse(body) as { data: { id: string }[] }).data.at(-1)?.id

/** Times the pages of a search with a cached total: repeated requests for the first page, and the pages that follow. */
async function measurePages(target: SearchTarget, term: string, filter: string): Promise<{ first: number[]; next: number[] }> {
  await timeRequest(searchRequest(target, term, filter))
  const pages = { first: [] as number[], next: [] as number[] }
  for (let round = 0; round < 20; round += 1) {
    const { totalMs, body } = await timeRequest(searchRequest(target, term, filter))
    pages.first.push(totalMs)
    let cursor = parseLastId(body)
    for (let page = 0; page < 3 && cursor; page += 1) {
      const next = await timeRequest(searchRequest(target, term, `${filter}&starting_after=${cursor}`))
      pages.next.push(next.totalMs)
      cursor = parseLastId(next.body)
    }
  }
  return pages
}

/** Times searches whose total is not cached because each follows a write. */
async function measureFirstTotals(target: SearchTarget, terms: string[], filter: string): Promise<number[]> {
  const times: number[] = []
  for (const term of terms) {
    await target.invalidateTotals()
    times.push((await timeRequest(searchRequest(target, term, filter))).totalMs)
  }
  return times
}

/** Returns order numbers that match one record each. */
const rareTerms = ({ records }: SearchTarget) =>
  Array.from({ length: 40 }, (_, i) => `or-1${String((i * 24_571) % records).padStart(6, '0')}`)

/** Measures searches in the large table, whose trigram index also covers other sellers' records in the same partition. */
export const searchLargeBenchmark: Benchmark = {
  id: 'search-large',
  async measure(context) {
    const target = largeTarget(context)
    const figure = sequentialFigure(
      'search in the large table, rare term, first total',
      0.25,
      await measureFirstTotals(target, rareTerms(target), ''),
    )
    return [relativeToCount(figure, await measureCountTimes(target.databaseUrl))]
  },
}

/** Terms that match 1,000 to 15,000 of a million records. */
const MODERATELY_COMMON = ['example.org', 'rivera12', '99@', 'ben.o', '999@', 'gus.r', 'noor.j', '777']

/** Worst-case terms: with few trigrams, with common trigrams but no match, and with each order of magnitude of matches. */
const WORST_CASES = [
  ...['zq', 'qj', '7q', '@q', 'ada', 'riv', 'ada.', 'rivera1', 'ada.rivera', '000111', '.org', 'example.org', 'comexa'],
  ...['-12', '99@', 'or-1999', 'zzz'],
]

/**
 * Reads a table's search texts into PostgreSQL's buffers. A sequential scan does not keep the pages of such a large table there, so without
 * this, the time of a search would depend on which pages happened to be there.
 */
async function loadTexts({ databaseUrl }: SearchTarget): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`create extension if not exists pg_prewarm`
    await sql`select pg_prewarm(oid::regclass) from pg_class where relkind = 'r' and relname like 'payments\\_texts\\_%'`
  } finally {
    await sql.end()
  }
}

/** Compares searches over records in random order with the same searches over records in chronological order. */
export const searchOrderBenchmark: Benchmark = {
  id: 'search-order',
  async measure(context) {
    const terms = {
      'rare term': rareTerms(smallTarget(context)).slice(0, 10),
      'thousands of matches': MODERATELY_COMMON,
      'common term': ['example', 'e', 'ex'],
    }
    const figures: Figure[] = []
    for (const [name, group] of Object.entries(terms)) {
      const measure = (target: SearchTarget) => async () => {
        await loadTexts(target)
        return median(await measureFirstTotals(target, group, ''))
      }
      const [random, ordered] = await alternate(context, measure(smallTarget(context)), measure(orderedTarget(context)))
      const rounds = random.map((one, round) => one / (ordered[round] ?? Number.NaN))
      figures.push({
        name: `search in random order relative to chronological order, ${name}`,
        goal: { atMost: 1.2 },
        value: median(rounds),
        unit: '× the time',
        rounds,
        ours: `${formatNumber(median(random))} ms`,
        reference: `${formatNumber(median(ordered))} ms`,
        referenceRounds: ordered,
      })
    }
    return figures
  },
}

/**
 * Creates a benchmark of searches with a filter.
 *
 * @param suffix a suffix for the figures' names that describes the filter
 * @param filter the filter as query parameters, starting with `&`; an empty string for none
 * @param factor a multiplier for the goals, which are those for searches without a filter
 */
export const searchBenchmark = (id: string, suffix: string, filter: string, factor: number): Benchmark => ({
  id,
  async measure(context) {
    const name = `search${suffix}`
    const target = smallTarget(context)
    const orders = rareTerms(target)
    // Warm up caches, plans and compiled code, as in the other benchmarks.
    await measureFirstTotals(target, [...orders.slice(0, 10), ...MODERATELY_COMMON, ...commonTerms([1, 2]).slice(0, 5)], filter)
    const counts = await measureCountTimes(target.databaseUrl)
    const rare = await measureFirstTotals(target, orders, filter)
    const moderate = await measureFirstTotals(target, MODERATELY_COMMON, filter)
    const broad = await measurePages(target, 'example', filter)
    const letters = await measurePages(target, 'e', filter)
    const pairs = await measurePages(target, 'ex', filter)
    const totals = await measureFirstTotals(target, commonTerms([1, 2, 7]).slice(0, 15), filter)
    // Take the median of three searches per term, so that a pause of the machine does not make a term look slow.
    const rounds = [
      await measureFirstTotals(target, WORST_CASES, filter),
      await measureFirstTotals(target, WORST_CASES, filter),
      await measureFirstTotals(target, WORST_CASES, filter),
    ]
    const worst = WORST_CASES.map((_, i) => median(rounds.flatMap((times) => times[i] ?? [])))
    counts.push(...(await measureCountTimes(target.databaseUrl)))
    const ratio = (...figure: Parameters<typeof sequentialFigure>) => relativeToCount(sequentialFigure(...figure), counts)
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
