'use client'
/** The command palette: opens a page, starts an action or finds a record in any list, using only the keyboard. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useRouter } from 'next/navigation'
import type { FoundItem } from '../(dashboard)/find/route'
import { paletteCopy } from '../copy/palette'
import { Icon } from './icon'
import { StatusBadge } from './status-badge'
import { type SearchState, useRecordSearch } from './use-record-search'

type Item = Omit<FoundItem, 'resource'>
type Group = { label: string; items: Item[] }

/** A list in the dashboard. `name` is its path without the slash, and `title` is its display name. */
export type PaletteList = { name: string; title: string }

/** A page, or an action triggered by the fragment of a page's URL. Before the user types, only links with `isMain` are listed. */
export type PaletteLink = { href: string; title: string; isMain?: boolean; isAction?: boolean }

/** Returns whether a word of the title starts with the term. */
const hasWord = (title: string, term: string) => ` ${title.toLowerCase()}`.includes(` ${term}`)

/** Returns the pages and actions that match the input, then the records found, grouped by list. */
function makeGroups(input: string, lists: PaletteList[], links: PaletteLink[], { found, listsWithMore }: SearchState): Group[] {
  const term = input.trim().toLowerCase()
  const matching = links.filter(({ title, isMain }) => (term ? hasWord(title, term) : isMain))
  const viewAll = ({ name, title }: PaletteList): Item[] =>
    listsWithMore.includes(name)
      ? [{ href: `/${name}?${new URLSearchParams({ search: input.trim() })}`, title: paletteCopy.all(title.toLowerCase()) }]
      : []
  return [
    { label: paletteCopy.pages, items: matching.filter(({ isAction }) => !isAction) },
    { label: paletteCopy.actions, items: matching.filter(({ isAction }) => isAction) },
    ...lists.map((list) => ({ label: list.title, items: [...found.filter(({ resource }) => resource === list.name), ...viewAll(list)] })),
  ].filter(({ items }) => items.length > 0)
}

function statusText({ state, found, listsWithMore }: SearchState, isEmpty: boolean): string {
  switch (state) {
    case 'short':
      return isEmpty ? paletteCopy.short : ''
    case 'searching':
      return paletteCopy.searching
    case 'outage':
      return paletteCopy.outage
    case 'signed-out':
      return paletteCopy.signedOut
    case 'found':
      return found.length > 0 ? paletteCopy.count(found.length, listsWithMore.length > 0) : isEmpty ? paletteCopy.nothing : ''
  }
}

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  lists: PaletteList[]
  links: PaletteLink[]
  /** The user's input. The caller stores it, because the user may start typing before this component's code is loaded. */
  input: string
  onInput: (input: string) => void
}

export default function PaletteDialog({ open, onOpenChange, ...panel }: Props) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-black/40" />
        <Dialog.Popup className="fixed inset-x-4 top-4 z-30 mx-auto flex max-h-[min(36rem,calc(100dvh-2rem))] max-w-xl flex-col overflow-hidden rounded-xl border border-line bg-card shadow-xl sm:top-[12vh] sm:max-h-[min(36rem,calc(88dvh-1rem))]">
          <Dialog.Title className="sr-only">{paletteCopy.title}</Dialog.Title>
          <SearchPanel {...panel} close={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function SearchPanel({ lists, links, input, onInput, close }: Omit<Props, 'open' | 'onOpenChange'> & { close: () => void }) {
  const router = useRouter()
  const search = useRecordSearch(input)
  const groups = makeGroups(input, lists, links, search)
  const status = statusText(search, groups.length === 0)

  function go(href: string) {
    close()
    // Check-in and the API docs need a full page load, because check-in may use the camera, and the API docs are static. An action on the
    // current page needs the browser's own navigation, which fires `hashchange`.
    if (href === '/door' || href === '/docs' || href.startsWith(`${window.location.pathname}#`)) window.location.assign(href)
    else router.push(href)
  }

  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      filter={null}
      value={input}
      onValueChange={(next, { reason }) => {
        // Selecting an item must not insert its name into the field. Pasted cells are separated by tabs, which the server rejects.
        if (reason !== 'item-press') onInput(next.replaceAll('\t', ' '))
      }}
      itemToStringValue={(item: Item) => item.title}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center border-line border-b pr-2">
        <Autocomplete.Input
          aria-label={paletteCopy.label}
          placeholder={paletteCopy.label}
          maxLength={200}
          className="h-12 min-w-0 grow bg-transparent px-4 text-base outline-none!"
        />
        <Dialog.Close aria-label={paletteCopy.close} className="rounded-md p-1.5 text-quiet hover:bg-hover hover:text-ink">
          <Icon name="close" size={18} />
        </Dialog.Close>
      </div>
      <Autocomplete.List aria-label={paletteCopy.title} className="min-h-0 overflow-y-auto overscroll-contain p-1.5 empty:hidden">
        {(group: Group) => (
          <Autocomplete.Group key={group.label} items={group.items}>
            <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-quiet text-xs">{group.label}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Item) => (
                <Autocomplete.Item
                  key={item.href}
                  value={item}
                  onClick={() => go(item.href)}
                  className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 text-sm data-highlighted:bg-hover"
                >
                  <Entry item={item} />
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      <Autocomplete.Status
        className={`px-4 py-2.5 text-sm empty:hidden ${search.state === 'outage' || search.state === 'signed-out' ? 'text-bad' : 'text-quiet'}`}
      >
        {status}
      </Autocomplete.Status>
    </Autocomplete.Root>
  )
}

function Entry({ item: { title, detail, email, status, amount } }: { item: Item }) {
  return (
    <>
      <span className="max-w-[60%] shrink-0 truncate" dir="auto">
        {title}
      </span>
      <span className="min-w-0 grow truncate text-quiet">
        <bdi>{detail}</bdi>
        {email ? ` · ${email}` : null}
      </span>
      {amount ? <span className="hidden shrink-0 tabular-nums sm:inline">{amount}</span> : null}
      {status ? <StatusBadge tone={status.tone}>{status.text}</StatusBadge> : null}
    </>
  )
}
