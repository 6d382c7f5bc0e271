/** Joins and splits lists of values in query parameters. Commas separate the values; a backslash escapes commas and backslashes in them. */

/** Joins values into a list. */
export const joinValues = (values: readonly string[]): string => values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(',')

/** Splits a list into its values. A backslash that is not followed by a comma or a backslash is part of the value. */
export const splitValues = (text: string): string[] =>
  text.split(/(?<=(?<!\\)(?:\\\\)*),/).map((value) => value.replace(/\\([\\,])/g, '$1'))
