/** Finds guests by name on this device. The key to the names is only in memory, so it is lost if the page is reloaded offline. */
import type { SealedName } from '@/lib/admission/sealed-ticket'
import { toPlain } from '@/lib/core/plain-text'
import type { DoorStore } from './store'
import { openName, skipUnreadable } from './unseal'

/** The number of entries that are decrypted concurrently. */
const GROUP = 1_000

/** A guest on the list. `text` is the normalized text that is searched. */
export type NamedEntry = SealedName & { index: string; text: string }

/** Decrypts all names on the list that can be decrypted, which takes seconds if the list is long. @param key the device's search key */
export async function openNames(store: DoorStore, key: CryptoKey): Promise<NamedEntry[]> {
  const all: NamedEntry[] = []
  let after = ''
  for (;;) {
    const entries = await store.entries(after, GROUP)
    const opened = entries.map(async ({ ref, index, name }): Promise<NamedEntry[]> => {
      if (!name) return []
      const sealed = await openName(key, ref, name).catch(skipUnreadable)
      if (!sealed) return []
      return [{ ...sealed, index, text: toPlain([sealed.name, sealed.order, sealed.shortId].filter(Boolean).join(' ')) }]
    })
    for (const found of await Promise.all(opened)) all.push(...found)
    const last = entries.at(-1)
    if (!last || entries.length < GROUP) return all
    after = last.ref
  }
}

/**
 * Returns the guests who match all words of a term, sorted by name. Those whose name starts with the term come first.
 *
 * @param pageId the event selected on the device; undefined for all of the device's events
 */
export function matchNames(names: readonly NamedEntry[], term: string, pageId: string | undefined): NamedEntry[] {
  const plain = toPlain(term).trim()
  const words = plain.split(/\s+/)
  const rank = ({ text }: NamedEntry) => Number(!text.startsWith(plain))
  return names
    .filter((entry) => (pageId === undefined || entry.pageId === pageId) && words.every((word) => entry.text.includes(word)))
    .toSorted((a, b) => rank(a) - rank(b) || (a.text < b.text ? -1 : 1))
}
