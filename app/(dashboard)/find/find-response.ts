/** The response of `/find`: records, formatted for the command palette. */
import type { Tone } from '../../_components/cells'

export type FoundItem = {
  /** The name of the list that contains the record. */
  resource: string
  href: string
  title: string
  detail?: string
  status?: { text: string; tone: Tone }
  amount?: string
}

export type FindResponse = {
  /** At most five records per list. */
  found: FoundItem[]
  /** The names of the lists with more matches than `found` contains. */
  listsWithMore: string[]
}
