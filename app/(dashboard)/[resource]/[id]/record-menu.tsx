'use client'
/** The menu with actions that do not change the record: copy its link or its API request, show its JSON, or print it. */
import { CopyButton } from '@/app/_components/copy-button'
import { CopyRequest } from '@/app/_components/copy-request'
import { Icon } from '@/app/_components/icon'
import { Menu } from '@/app/_components/menu'
import { recordMenuCopy as copy } from '@/app/copy/record-menu'

const ROW = 'flex min-h-9 w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover'

/** Closes the menu, and moves the focus to the JSON, because the menu's button is far from it. */
function showJson({ currentTarget }: { currentTarget: Element }) {
  const technical = document.getElementById('technical')
  if (!(technical instanceof HTMLDetailsElement)) return
  const menu = currentTarget.closest('details')
  if (menu) menu.open = false
  technical.open = true
  technical.querySelector('summary')?.focus({ preventScroll: true })
  technical.scrollIntoView()
}

/** @param command the curl command that requests the record */
export const RecordMenu = ({ command }: { command: string }) => (
  <Menu label={copy.label} width="w-52" button={<Icon name="more" size={16} />}>
    <div className="*:flex">
      <CopyButton text={() => window.location.origin + window.location.pathname} what={copy.linkName} className={ROW}>
        {copy.link}
      </CopyButton>
      <CopyRequest command={command} className={ROW} />
    </div>
    <button type="button" className={ROW} onClick={showJson}>
      <span className="w-3.5" />
      {copy.json}
    </button>
    <button type="button" className={ROW} onClick={() => window.print()}>
      <span className="w-3.5" />
      {copy.print}
    </button>
  </Menu>
)
