/** Parses CSV exports, and flattens records for comparison with an export's rows. */
import { parse } from 'csv-parse/sync'
import type { Line } from '@/testing/seller'

export type Row = Record<string, string>

export const readCsv = (text: string): Row[] => parse(text, { bom: true, columns: true }) as Row[]

/** Converts a record to a row of an export with these columns. @param prefix the path of a nested object, ending with a dot */
export function asRow(record: Line, columns: string[], prefix = ''): Row {
  return Object.assign(
    {},
    ...Object.entries(record).map(([name, value]) => {
      const path = prefix + name
      if (!columns.includes(path)) return asRow(value as Line, columns, `${path}.`)
      if (typeof value === 'object') return { [path]: JSON.stringify(value) }
      // A leading apostrophe keeps spreadsheets from evaluating formulas.
      return { [path]: typeof value === 'string' && /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : String(value) }
    }),
  )
}
