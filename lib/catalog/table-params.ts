/** Defines the query parameters of the dashboard's tables: those of the API, some of which accept several values, and more filters. */
import { z } from 'zod'
import { SORT_KEYS, type SortKey } from './columns'
import { commonListParams, createdParams, idParam, type ListParams, searchParam } from './list-params'
import type { Resource } from './resource'
import { describeChoices } from './shapes'
import { splitValues } from './value-list'

/** Periods of whole days in the seller's time zone, relative to the current day. */
export const PERIODS = ['today', 'yesterday', '7d', '30d', 'this_month', 'last_month', 'this_year'] as const
export type Period = (typeof PERIODS)[number]

/** Returns the sort keys of a table. */
export function listSortKeys({ table }: Pick<Resource, 'table'>): SortKey[] {
  const columns = { amount: 'amount', customer: 'names', uses: 'uses' } as const
  return ['createdAt', ...SORT_KEYS.filter((key) => columns[key] in table)]
}

/** Parsed parameters. Lists are comma-separated in the URL. */
export type TableParams = Omit<ListParams, 'status' | 'pageId'> & {
  status?: string[] | undefined
  pageId?: string[] | undefined
  period?: Period | undefined
  method?: string[] | undefined
  /** The currency code, in uppercase, or `-` for records without a currency. */
  currency?: string | undefined
  /** Selecting both values has the same effect as selecting none. */
  livemode?: ('true' | 'false')[] | undefined
  /** Inclusive bounds in major units, such as euros. */
  'amount[gte]'?: number | undefined
  'amount[lte]'?: number | undefined
  /** A sort key, preceded by a minus sign for descending order. If absent, the newest records come first. */
  sort?: string | undefined
  /** The IDs of the records to include, such as those selected for an export. */
  ids?: string[] | undefined
}

/** The maximum number of values per filter, and of selected records. */
const MAX_VALUES = 100

/** Returns the schema of an optional, comma-separated list of values. */
export const valuesParam = <Item extends z.ZodType<string, string>>(item: Item) =>
  z
    .string()
    .transform(splitValues)
    .pipe(z.array(item).max(MAX_VALUES, `must have at most ${MAX_VALUES} values`))
    .optional()

export const periodParam = z.enum(PERIODS, describeChoices(PERIODS)).optional()

const shortText = searchParam.min(1).max(64)
const majorUnits = z
  .string()
  .regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'must be an amount such as 12.50')
  .transform(Number)
  .optional()

type TableSchema = z.ZodObject & z.ZodType<TableParams, Record<string, string>>

/** The schemas by resource. Each is built and compiled only once, because that takes longer than parsing with it. */
const schemas = new WeakMap<object, TableSchema>()

/** Returns the schema that parses a table's query parameters from strings. */
export function tableParams(resource: Pick<Resource, 'filters' | 'table'>): TableSchema {
  const schema = schemas.get(resource) ?? buildSchema(resource)
  schemas.set(resource, schema)
  return schema
}

function buildSchema(resource: Pick<Resource, 'filters' | 'table'>): TableSchema {
  const { pageId, status } = resource.filters
  const sorts = listSortKeys(resource).flatMap((key) => (key === 'createdAt' ? [key] : [key, `-${key}`]))
  return z.strictObject({
    ...commonListParams,
    ...(pageId ? { pageId: valuesParam(idParam) } : {}),
    ...(status ? { status: valuesParam(z.enum(status, describeChoices(status))) } : {}),
    ...createdParams,
    period: periodParam,
    ...('amount' in resource.table
      ? {
          method: valuesParam(shortText),
          currency: shortText.transform((code) => code.toUpperCase()).optional(),
          livemode: valuesParam(z.enum(['true', 'false'], { error: 'must be true or false' })),
          'amount[gte]': majorUnits,
          'amount[lte]': majorUnits,
        }
      : {}),
    sort: z.enum(sorts, describeChoices(sorts)).optional(),
    ids: valuesParam(idParam),
  }) as never
}

const DAY_MS = 86_400_000
const addDays = (day: string, days: number) => new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** Returns the first and the last day of a period, as `YYYY-MM-DD`. @param today the current day, in the same format */
export function getPeriodDays(period: Period, today: string): { from: string; to: string } {
  const month = `${today.slice(0, 7)}-01`
  switch (period) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) }
    case '7d':
      return { from: addDays(today, -6), to: today }
    case '30d':
      return { from: addDays(today, -29), to: today }
    case 'this_month':
      return { from: month, to: today }
    case 'last_month': {
      const to = addDays(month, -1)
      return { from: `${to.slice(0, 7)}-01`, to }
    }
    case 'this_year':
      return { from: `${today.slice(0, 4)}-01-01`, to: today }
  }
}
