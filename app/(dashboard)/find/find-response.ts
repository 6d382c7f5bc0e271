/** The response of `/find`: records, formatted for the command palette. */
import type { ResourceName } from '@/lib/catalog'
import type { Tone } from '../../_components/cells'

export type FoundItem = {
  resource: ResourceName
  href: string
  title: string
  detail?: string
  status?: { text: string; tone: Tone }
  amount?: string
}

export type FindResponse = { found: FoundItem[] }
