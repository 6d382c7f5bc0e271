/** An export read back, and what a record's members are in one. */
import { parse } from 'csv-parse/sync'
import type { Line } from '@/testing/seller'

export type Row = Record<string, string>

export const readCsv = (text: string): Row[] => parse(text, { bom: true, columns: true }) as Row[]

/** A record as the columns of an export have it: an object is opened where there are columns for what is in it. */
export function asRow(record: Line, columns: string[], prefix = ''): Row {
  return Object.assign(
    {},
    ...Object.entries(record).map(([name, value]) => {
      const path = prefix + name
      if (!columns.includes(path)) return asRow(value as Line, columns, `${path}.`)
      if (typeof value === 'object') return { [path]: JSON.stringify(value) }
      // A text that a spreadsheet would run as a formula is defused.
      return { [path]: typeof value === 'string' && /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : String(value) }
    }),
  )
}
