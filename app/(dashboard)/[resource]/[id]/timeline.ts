/** Merges a record's timestamps and its activity into one timeline, oldest first. */
import { formatInstant, statusLabel } from '@/app/_components/cells'
import { activityCopy as copy } from '@/app/copy/activity'
import { memberLabel } from '@/app/copy/audit'
import { formatDay } from '@/app/copy/format'
import { describeEntryMethod } from '@/lib/admission/scan-source'
import type { Activity } from '@/lib/reports/activity'
import type { Entry } from './entries'

export type TimelineEntry = {
  /** Unique within the timeline. */
  key: string
  /** `record` for a timestamp of the record itself. */
  kind: Activity['kind'] | 'record'
  label: string
  /** ISO 8601. If only the day is known, the start of the day in the shop's time zone. */
  at: string
  /** The day of a scan without a known time, as `YYYY-MM-DD`. */
  day?: string
  details: Entry[]
  /** A note, a reason, or the changed members. */
  text?: string
  /** The user, device or API key. */
  actor?: string
  /** The ticket's short ID or, if it has none, its ID. */
  ticket?: string
  /** The ID of the note, if the user may delete it. */
  noteId?: string
}

/** Returns the labels of the members that an audit log entry lists as changed. */
function formatChangedMembers(details: string): string {
  const { members, ...changes } = JSON.parse(details) as Record<string, { after?: unknown }>
  const names = Array.isArray(members?.after) ? members.after.map(String) : Object.keys(changes)
  return names.map(memberLabel).join(', ')
}

function describeActivity({ kind, type, method, source }: Activity): string {
  switch (kind) {
    case 'scan': {
      const labels = type === 'CHECKEDIN' ? copy.checkedIn : copy.checkedOut
      return source && method ? `${labels.QRSCAN} ${describeEntryMethod({ method, source })}` : labels[method ?? 'QRSCAN']
    }
    case 'refusal':
      return copy.refused[type as keyof typeof copy.refused] ?? copy.refusedFor(statusLabel(type))
    case 'offline':
      return copy.offline[type as keyof typeof copy.offline] ?? copy.offlineFor(statusLabel(type))
    case 'gateway':
      return copy.gateway(type)
    case 'change':
      return type.endsWith('.created') ? copy.created : type.endsWith('.erased') ? copy.erased : copy.edited
    case 'note':
      return copy.note
  }
}

function toEntry(activity: Activity, canDelete: (activity: Activity) => boolean): TimelineEntry {
  const { kind, id, at, day, text, who, ticket } = activity
  const description = kind === 'change' && text !== null ? formatChangedMembers(text) : text
  return {
    key: `${kind} ${id}`,
    kind,
    label: describeActivity(activity),
    at,
    ...(day === null ? {} : { day }),
    details: [],
    ...(description ? { text: description } : {}),
    ...(who === null ? {} : { actor: who }),
    ...(ticket === null ? {} : { ticket }),
    ...(kind === 'note' && canDelete(activity) ? { noteId: id } : {}),
  }
}

/** Returns an entry's time for a `time` element, or only its day if the time is unknown. */
export const formatWhen = ({ at, day }: TimelineEntry, timeZone: string): { dateTime: string; time: string } =>
  day === undefined ? { dateTime: at, time: formatInstant(at, timeZone) } : { dateTime: day, time: formatDay(day) }

/** Returns the entries, oldest first. @param canDelete returns whether the user may delete a note */
export const mergeTimeline = (events: TimelineEntry[], activity: Activity[], canDelete: (activity: Activity) => boolean): TimelineEntry[] =>
  [...events, ...activity.map((item) => toEntry(item, canDelete))].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
