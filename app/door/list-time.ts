/** Formats when the ticket list was updated. */
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

/** Returns the time of day, with the day if that is not today: a list of yesterday must not look like a new one. */
export const formatListTime = (at: number, now = Date.now()) =>
  (new Date(at).toDateString() === new Date(now).toDateString() ? timeFormat : dayFormat).format(at)
