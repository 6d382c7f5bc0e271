/** Limits that the browser needs too, in a file without the schemas. */

/** The maximum length of a QR code's text, in characters. */
export const MAX_CODE = 512
/** The maximum number of metadata entries of a ticket. */
export const MAX_METADATA = 50
