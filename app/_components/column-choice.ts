/** A column of a table, and whether it is shown. */
export type ColumnChoice = { key: string; label: string; shown: boolean }
