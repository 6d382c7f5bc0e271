/** POST /door/metadata: adds, edits and removes notes on a ticket, without checking it in. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { noteOnTicket } from '@/lib/admission/change-ticket'
import { objectId } from '@/lib/catalog/shapes'
import { validationBody } from '@/lib/catalog/ticket-validation'
import { rethrowTooMuchMetadata } from '@/lib/http/validate-ticket-route'
import { changeFields, handleDoorRequest, parseBody, serializeActionResult, toActionResponse, toChange } from '../door-request'

const noteSchema = z.strictObject({ ...changeFields, ticketId: objectId, metadata: validationBody.shape.metadata.unwrap() })

export const POST = (request: Request) =>
  handleDoorRequest(request, 'search', async (caller) => {
    const { data, body } = await parseBody(request, noteSchema, doorRefusals.invalidNote)
    const { ticketId, metadata } = data
    const change = { ...toChange(caller, data, body), ticketId, metadata }
    return toActionResponse(await noteOnTicket(change, serializeActionResult).catch(rethrowTooMuchMetadata))
  })
