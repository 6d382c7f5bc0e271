'use client'
/** The menu of read-only actions: copy the record's link or API request, show its JSON, or print it. */
import { CopyButton } from '@/app/_components/copy-button'
import { CopyRequest } from '@/app/_components/copy-request'
import { Icon } from '@/app/_components/icon'
import { Menu } from '@/app/_components/menu'
import { recordMenuCopy as copy } from '@/app/copy/record-menu'

/** Closes the menu and moves the focus to the JSON, which is far from the menu's button. */
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
      <CopyButton text={() => window.location.origin + window.location.pathname} name={copy.linkName} className="menu-row">
        {copy.link}
      </CopyButton>
      <CopyRequest command={command} className="menu-row" />
    </div>
    <button type="button" className="menu-row" onClick={showJson}>
      <span className="w-3.5" />
      {copy.json}
    </button>
    <button type="button" className="menu-row" onClick={() => window.print()}>
      <span className="w-3.5" />
      {copy.print}
    </button>
  </Menu>
)
