/** UI text for the request log. */
import type { StatusClass } from '@/lib/http/list-requests'
import { formatPlural } from './format'

export const requestLogCopy = {
  hint: 'API requests made with your keys in the last 7 days. Query parameters and bodies are not stored.',
  columns: { at: 'Time', operation: 'Operation', status: 'Status', duration: 'Duration', key: 'Key', id: 'Request ID' },
  duration: (ms: number) => `${ms.toLocaleString('en-US', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`,
  search: 'Request ID',
  searchHint: 'Search by request ID (req_…)',
  status: 'Status',
  statuses: { '2xx': 'Succeeded (2xx)', '4xx': 'Rejected (4xx)', '5xx': 'Failed (5xx)' } satisfies Record<StatusClass, string>,
  key: 'Key',
  inactiveKey: (name: string) => `${name} (inactive)`,
  shown: (count: number) => `Showing ${formatPlural(count, 'request')}`,
  what: 'requests',
  none: 'No requests in the last 7 days',
  noneHint: 'API requests appear here after a second or two.',
  unknown: 'No request with this ID',
  unknownHint: 'Enter the full ID from the Request-Id header or the error response. Requests are kept for 7 days.',
  nothingHere: 'No matching requests',
  nothingHereHint: 'Change or clear the filters. Requests are kept for 7 days.',
  all: 'View all requests',
} as const
