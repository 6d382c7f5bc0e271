/** Reports that a server action shows a message about an outage, so that `page-outages.ts` does not replace the response with a 503. */
import { channel } from 'node:diagnostics_channel'

/** The name of the channel. A module-level variable would not work, because each of Next's bundles has its own copy of this module. */
export const EXPLAINED_OUTAGES = 'checkout-desk:explained-outages'

/** Reports that the response to the current request explains the last outage. */
export const reportExplainedOutage = () => channel(EXPLAINED_OUTAGES).publish(undefined)
