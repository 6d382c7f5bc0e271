/** Defines the columns and the query parameters of the dashboard's ticket table. */
import { z } from 'zod'
import type { Column } from './columns'
import { commonListParams, createdParams, dateParam, idParam, searchParam } from './list-params'
import { describeChoices } from './shapes'
import { periodParam, valuesParam } from './table-params'
import { tickets } from './ticket'

/** The columns. `type` and `checkedIn` are not members of a ticket (see `ListedTicket`). The guest column also shows the guest's name. */
export const TICKET_COLUMNS = [
  { key: 'ticketShortId', label: 'Ticket', kind: 'code' },
  { key: 'customerEmail', label: 'Guest', kind: 'customer', sort: 'customer', phone: 'title' },
  { key: 'pageId', label: 'Product or event', kind: 'page', phone: 'note' },
  { key: 'type', label: 'Type', kind: 'text', phone: 'side' },
  { key: 'status', label: 'Status', kind: 'status' },
  { key: 'checkInStatus', label: 'Check-in', kind: 'status', phone: 'mark' },
  { key: 'checkedIn', label: 'Last check-in', kind: 'date', hidden: true },
  { key: 'orderId', label: 'Order', kind: 'code', hidden: true },
  { key: 'createdAt', label: 'Created', kind: 'date', sort: 'createdAt' },
] as const satisfies readonly Column[]

const { status, checkInStatus } = tickets.record.shape
const SORTS = ['createdAt', 'customer', '-customer'] as const

/** The query parameters. Lists are comma-separated in the URL. */
export const ticketTableParams = z.strictObject({
  ...commonListParams,
  pageId: valuesParam(idParam),
  status: valuesParam(z.enum(status.options, describeChoices(status.options))),
  checkInStatus: valuesParam(z.enum(checkInStatus.options, describeChoices(checkInStatus.options))),
  ticketTypeId: valuesParam(searchParam),
  ...createdParams,
  period: periodParam,
  /** A period, or inclusive bounds. Matches tickets that were checked in on at least one of these days. */
  checkedIn: periodParam,
  'checkedIn[gte]': dateParam.optional(),
  'checkedIn[lte]': dateParam.optional(),
  sort: z.enum(SORTS, describeChoices(SORTS)).optional(),
  ids: valuesParam(idParam),
})
export type TicketTableParams = z.output<typeof ticketTableParams>
