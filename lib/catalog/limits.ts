/** Defines limits that browser code also needs. They are in a separate file, so that the browser does not load the schemas. */

/** The maximum length of a QR code's text, in characters. */
export const MAX_CODE = 512
/** The maximum number of metadata entries per ticket. */
export const MAX_METADATA = 50
/** The maximum number of other tickets of an order that are counted or listed at check-in. */
export const MAX_OTHERS = 50
/** The minimum length of a search term in the command palette, in characters. Almost every record would match a shorter term. */
export const MIN_TERM = 2
/**
 * How long a device holds back its own refusal of a scan that the server may have accepted, in seconds: slightly longer than the minute
 * during which scanning the code again reuses the scan's ID.
 */
export const HOLD_SECONDS = 65
