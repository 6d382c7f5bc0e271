/** Products: their names, and the IDs that orders refer to with `productId`. They can be imported, but are not part of the API. */
import { z } from 'zod'
import { boundedText } from './shapes'

export const productRecord = z.strictObject({
  /** Any text, because orders do not restrict `productId`. */
  id: boundedText(1, 255),
  name: boundedText(1, 200),
})
