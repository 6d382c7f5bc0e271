/** The query parameter with the ID of the record in the drawer next to a table. It is not a parameter of the list. */
export const PEEK = 'peek'
