/** Products: the names of the things that are sold, to which orders refer by `productId`. They are imported, and not part of the API. */
import { z } from 'zod'
import { boundedText } from './shapes'

export const productRecord = z.strictObject({
  /** Any text, because orders do not restrict it. */
  id: boundedText(1, 255),
  name: boundedText(1, 200),
})
