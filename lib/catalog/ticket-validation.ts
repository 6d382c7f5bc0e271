/** Defines the request and response schemas of a ticket validation. */
import { z } from 'zod'
import { enumeration, text } from './shapes'
import { isStorable, metadataKey, metadataValue, STORABLE, tickets } from './ticket'

// Not specified: the shape of `metadata`. `checkIn` is our addition.
const metadataChange = z
  .strictObject({
    key: metadataKey.refine(isStorable, STORABLE).describe('Name of the entry.'),
    value: metadataValue.refine(isStorable, STORABLE).nullable().describe('New value of the entry. `null` deletes the entry.'),
  })
  .meta({ id: 'MetadataChange', description: 'A metadata entry to write or delete.' })

export const validationBody = z
  .strictObject({
    metadata: z
      .array(metadataChange)
      .refine((entries) => new Set(entries.map(({ key }) => key)).size === entries.length, 'must not contain duplicate keys')
      .optional()
      .describe('Metadata entries to merge into the ticket by key. Each key can be sent only once.'),
    checkIn: z.boolean().optional().describe('Set to `false` to preview the validation without checking in the ticket. Default: `true`.'),
  })
  .meta({ id: 'ValidationBody', description: 'Options of a ticket validation.' })

const reason = enumeration({
  already_checked_in: 'The guest is already checked in, or was checked out and may not enter again.',
  canceled: 'The ticket is canceled.',
})

/** The response of a validation. `reason` is our addition. */
export const validationResponse = z
  .strictObject({
    success: z.boolean().describe('Whether the guest is admitted or, in a preview, would be. Server errors have a 5xx status instead.'),
    ticket: tickets.record.describe('The ticket after the validation.'),
    message: text.describe('Human-readable result.'),
    reason: reason.optional().describe('Why the guest is not admitted. Absent if `success` is `true`.'),
  })
  .meta({ id: 'TicketValidation', description: 'The result of a ticket validation.' })
