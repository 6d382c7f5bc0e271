/** The words of the request log. */
import type { StatusClass } from '@/lib/http/list-requests'

export const requestWords = {
  hint: 'What your keys have asked the API in the last 7 days, newest first. What was searched or sent is not kept.',
  columns: { at: 'Time', operation: 'Operation', status: 'Status', duration: 'Duration', key: 'Key', id: 'Request id' },
  duration: (ms: number) => `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`,
  search: 'Request id',
  searchHint: 'Request id: req_…',
  status: 'Status',
  anyStatus: 'Any status',
  statuses: { '2xx': 'Answered (2xx)', '4xx': 'Refused (4xx)', '5xx': 'Failed (5xx)' } satisfies Record<StatusClass, string>,
  key: 'Key',
  anyKey: 'Any key',
  endedKey: (name: string) => `${name} (ended)`,
  shown: (count: number) => (count === 1 ? '1 request' : `${count} requests`),
  none: 'No requests yet',
  noneHint: 'Each request with one of your keys appears here a second or two later.',
  unknown: 'No request has this id',
  unknownHint: 'Give the whole id, as the answer’s header Request-Id or its error has it. It is kept for 7 days.',
  nothingHere: 'Nothing here',
  nothingHereHint: 'No request of the last 7 days is on this page.',
  newest: 'Show the newest',
} as const
