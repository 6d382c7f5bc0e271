/** Lists of values in query parameters. They are separated by commas; commas and backslashes within a value follow a backslash. */

/** Joins values into a list. */
export const joinValues = (values: readonly string[]): string => values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(',')

/** Splits a list into its values. A backslash before any other character is part of the value. */
export const splitValues = (text: string): string[] =>
  text.split(/(?<=(?<!\\)(?:\\\\)*),/).map((value) => value.replace(/\\([\\,])/g, '$1'))
