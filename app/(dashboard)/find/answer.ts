/** What the palette is told: found records, ready to be shown. */

import type { ResourceName } from '@/lib/catalog'
import type { Tone } from '../../_components/cells'

export type FoundItem = {
  resource: ResourceName
  /** Where the record is. */
  href: string
  title: string
  detail?: string
  status?: { text: string; tone: Tone }
  amount?: string
}

export type FindAnswer = { found: FoundItem[] }
