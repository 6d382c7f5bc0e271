/** Limits that browser code also needs. They are in a separate file so that the browser does not load the schemas. */

/** The maximum length of a QR code's text, in characters. */
export const MAX_CODE = 512
/** The maximum number of metadata entries per ticket. */
export const MAX_METADATA = 50
/**
 * How long a device holds back a scan that the server may have decided although the device could not, in seconds: a bit longer than repeating
 * the scan repeats its ID.
 */
export const HOLD_SECONDS = 65
