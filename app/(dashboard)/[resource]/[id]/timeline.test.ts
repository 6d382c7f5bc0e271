/** Tests how the timeline describes check-ins, check-outs and refused scans. */
import { expect, it } from 'vitest'
import type { Activity } from '@/lib/reports/activity'
import { listLatestEvents } from './peek-view'
import { formatWhen, mergeTimeline } from './timeline'

const at = '2026-11-20T05:05:00.000Z'
const entry = { kind: 'scan', at, day: null, id: '1', text: null, who: null, userId: null, ticket: null } as const

it.each([
  ['Nov 20, 2026, 00:05', at, null],
  ['Nov 20, 2026', '2026-11-20', '2026-11-20'],
])('shows the time of a check-in as %j, or only its day if the time is unknown', (time, dateTime, day) => {
  const activity: Activity = { ...entry, day, type: 'CHECKEDIN', method: 'MANUAL', source: null }
  const timeline = mergeTimeline([], [activity], () => false)
  expect(timeline.map((item) => formatWhen(item, 'America/New_York'))).toEqual([{ dateTime, time }])
  expect(listLatestEvents(timeline, 'America/New_York')).toMatchObject([{ dateTime, time }])
})

it.each([
  ['Checked in', 'CHECKEDIN', 'QRSCAN', null],
  ['Checked in manually', 'CHECKEDIN', 'MANUAL', null],
  ['Checked in by QR scan', 'CHECKEDIN', 'QRSCAN', 'camera'],
  ['Checked in by scanner', 'CHECKEDIN', 'QRSCAN', 'scanner'],
  ['Checked in with a typed code', 'CHECKEDIN', 'QRSCAN', 'typed'],
  ['Checked in from the guest list', 'CHECKEDIN', 'MANUAL', 'guest_list'],
  ['Checked out with a typed code', 'UNCHECKEDIN', 'QRSCAN', 'typed'],
  ['Check-in undone', 'UNCHECKEDIN', 'MANUAL', null],
] as const)('uses the label %j for status %s, method %s and source %s', (label, type, method, source) => {
  const activity: Activity = { ...entry, type, method, source }
  expect(mergeTimeline([], [activity], () => false)).toMatchObject([{ label }])
})

it.each([
  ['Refused: already checked in', 'refusal', 'already_checked_in'],
  ['Check-out refused: not checked in', 'refusal', 'not_checked_in'],
  ['Check-out refused offline: not checked in', 'offline', 'not_checked_in'],
] as const)('uses the label %j for a refused scan of kind %s and type %s', (label, kind, type) => {
  const activity: Activity = { ...entry, kind, type, method: null, source: null }
  expect(mergeTimeline([], [activity], () => false)).toMatchObject([{ label }])
})
