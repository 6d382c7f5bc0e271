/** Records the requests and responses of a run, and checks that no admission was lost, duplicated or rejected because of a fault. */
import { expect } from 'playwright/test'
import type { Sql } from 'postgres'
import { percentile } from '@/testing/percentile'
import type { Figures } from '@/testing/report'
import type { TimedResponse } from './send-request'

/**
 * A scan with the responses to it and its retries. `key` is its idempotency key, which is also stored in the ticket's metadata under the
 * name in `note`.
 */
export type Scan = { code: string; key: string; note: string; replies: TimedResponse[] }

/** A list request. `total` is the expected total. */
export type ListRequest = { path: string; total: number; reply: TimedResponse }

export type History = {
  scans: Scan[]
  lists: ListRequest[]
  /** When the last fault ended, as returned by `performance.now()`. Undefined if recovery is not checked. */
  faultEndedAt?: number
}

export const newHistory = (): History => ({ scans: [], lists: [] })

/** The response body of a validation. */
type Body = { success: boolean; reason?: string; ticket: { id: string; metadata: { key: string; value: string }[] } }

/** The response body of the check-in page's route. */
type PageBody = { kind: string; ticket?: { guest: { id: string } } }

/** How long requests may continue to fail after a fault, in milliseconds. */
export const RECOVERY_MS = process.env.FAULTS === 'short' ? 15_000 : 5_000

/** The time limit in milliseconds for any response, regardless of the state of the database. */
const MAX_RESPONSE_MS = 10_000

const listSuccessfulReplies = ({ replies }: Scan) => replies.filter(({ status }) => status === 200)

export const listReplies = ({ scans, lists }: History): TimedResponse[] => [
  ...scans.flatMap(({ replies }) => replies),
  ...lists.map(({ reply }) => reply),
]

/** Descriptions of problems. They are collected because calling `expect` for 100,000 responses would be too slow. */
type Problems = string[]

/** Checks each response on its own. */
function checkResponses(history: History, problems: Problems): void {
  for (const { status, headers, text, startedAt, endedAt } of listReplies(history)) {
    if (endedAt - startedAt > MAX_RESPONSE_MS) problems.push(`a response took ${Math.round(endedAt - startedAt)} ms`)
    if (![0, 200, 503].includes(status)) problems.push(`${status}: ${text}`)
    if (status !== 503) continue
    if (!(Number(headers['retry-after']) > 0)) problems.push(`a 503 without Retry-After: ${text}`)
    const { code, requestId } = JSON.parse(text) as { code: string; requestId: string }
    if (code !== 'unavailable' || requestId !== headers['request-id']) problems.push(`not an outage: ${text}`)
  }
  for (const { total, path, reply } of history.lists) {
    if (reply.status !== 200) continue
    const list = JSON.parse(reply.text) as { total: number; data: unknown[] }
    if (list.total !== total || list.data.length !== Math.min(total, 20))
      problems.push(`${path}: total ${list.total}, ${list.data.length} records`)
  }
}

/** Checks the responses to each scan. @returns the number of times each ticket was admitted according to the responses */
function checkAdmissions({ scans }: History, problems: Problems): Map<string, number> {
  const admitted = new Map<string, number>()
  for (const scan of scans) {
    const [first, ...replays] = listSuccessfulReplies(scan)
    if (!first) {
      problems.push(`${scan.key} never got a response`)
      continue
    }
    if (replays.some(({ text }) => text !== first.text)) problems.push(`${scan.key}: a replay differs from the first response`)
    const { success, reason } = JSON.parse(first.text) as Body
    if (success) admitted.set(scan.code, (admitted.get(scan.code) ?? 0) + 1)
    else if (reason !== 'already_checked_in') problems.push(`${scan.key}: unexpected reason: ${first.text}`)
  }
  return admitted
}

/** Checks that each scanned ticket was admitted exactly once, in the responses and in the database, and that no metadata was lost. */
async function checkRows({ scans }: History, admitted: Map<string, number>, seller: string, sql: Sql, problems: Problems): Promise<void> {
  const rows = await sql<{ code: string; entries: number; count: number; metadata: { key: string; value: string }[] }[]>`
    select qr_code as code, check_in_count as count, metadata,
      (select count(*)::int from check_ins where seller_id = tickets.seller_id and ticket_id = tickets.id) as entries
    from tickets where seller_id = ${seller}`
  const byCode = new Map(rows.map((row) => [row.code, row]))
  for (const scan of scans) {
    const row = byCode.get(scan.code)
    const acknowledged = admitted.get(scan.code) ?? 0
    if (acknowledged !== 1 || row?.entries !== 1 || row.count !== 1)
      problems.push(`${scan.code}: ${acknowledged} admissions in responses, ${row?.entries} check-ins stored, ${row?.count} counted`)
    if (row?.metadata.find(({ key }) => key === scan.note)?.value !== scan.key) problems.push(`${scan.key}: its metadata is lost`)
  }
}

/** Checks that every request succeeded after the recovery time. */
function checkRecovery(history: History, problems: Problems): void {
  if (history.faultEndedAt === undefined) return
  const due = history.faultEndedAt + RECOVERY_MS
  for (const { startedAt, status, text } of listReplies(history)) {
    if (startedAt > due && status !== 200) problems.push(`${Math.round(startedAt - due)} ms after the recovery time: ${status} ${text}`)
  }
}

/** Returns the time in milliseconds from the end of the last fault to the last failure of a request sent after it, or 0 if none failed. */
function measureRecovery(history: History): number {
  const end = history.faultEndedAt ?? 0
  const failed = listReplies(history).filter(({ status, startedAt }) => status !== 200 && startedAt > end)
  return Math.round(Math.max(0, ...failed.map(({ endedAt }) => endedAt - end)))
}

/** Checks a run's responses against the database. @returns the results, and the number of responses other than a 200 */
export async function checkHistory(history: History, seller: string, sql: Sql): Promise<Omit<Figures, 'faults'> & { failed: number }> {
  const problems: Problems = []
  checkResponses(history, problems)
  const admitted = checkAdmissions(history, problems)
  await checkRows(history, admitted, seller, sql, problems)
  checkRecovery(history, problems)
  expect([problems.length, problems.slice(0, 20)]).toEqual([0, []])
  const replies = listReplies(history)
  return {
    requests: replies.length,
    admitted: admitted.size,
    lost: problems.length,
    failed: replies.filter(({ status }) => status !== 200).length,
    ...(history.faultEndedAt === undefined ? {} : { measured: `recovered after ${measureRecovery(history)} ms` }),
  }
}

/**
 * Checks scans that were not retried: no ticket was admitted twice, and every acknowledged admission is in the database.
 *
 * @returns the number of acknowledged admissions
 */
export async function checkAdmitted(replies: TimedResponse[], seller: string, sql: Sql): Promise<number> {
  const responses = replies.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text) as Body | PageBody)
  const admittedIds = responses
    .filter((response) => ('kind' in response ? response.kind === 'admitted' : response.success))
    .map((response) => ('kind' in response ? response.ticket?.guest.id : response.ticket.id))
  const rows = await sql<{ id: string; entries: number }[]>`
    select ticket_id as id, count(*)::int as entries from check_ins where seller_id = ${seller} group by 1`
  const once = new Set(rows.filter(({ entries }) => entries === 1).map(({ id }) => id))
  expect(once.size, 'no ticket is checked in twice').toBe(rows.length)
  expect(new Set(admittedIds).size, 'no ticket was admitted twice').toBe(admittedIds.length)
  expect(
    admittedIds.filter((id) => !once.has(String(id))),
    'no acknowledged admission is lost',
  ).toEqual([])
  return admittedIds.length
}

/** Returns a percentile of the response times, rounded to milliseconds. @param fraction 0.99 for the 99th percentile */
export const percentileMs = (replies: TimedResponse[], fraction: number): number =>
  Math.round(
    percentile(
      replies.map(({ startedAt, endedAt }) => endedAt - startedAt),
      fraction,
    ),
  )
