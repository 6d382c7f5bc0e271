'use client'
/** The sidebar and the page next to it. The sidebar collapses to icons. A cookie stores its state, so that the first paint is correct. */
import { type ReactNode, startTransition, useState } from 'react'
import { shellCopy } from '../copy/shell'
import { saveSidebar } from '../preferences-actions'

type Props = {
  isCollapsed: boolean
  /** The icon of the button for collapsing the sidebar. */
  icon: ReactNode
  header: ReactNode
  navigation: ReactNode
  children: ReactNode
}

export function Frame({ isCollapsed: isInitiallyCollapsed, icon, header, navigation, children }: Props) {
  const [isCollapsed, setCollapsed] = useState(isInitiallyCollapsed)

  function toggle() {
    setCollapsed(!isCollapsed)
    startTransition(() => saveSidebar(!isCollapsed))
  }

  return (
    <div className="min-h-dvh lg:flex" data-collapsed={isCollapsed || undefined}>
      <div className="max-lg:contents lg:sticky lg:top-0 lg:flex lg:h-dvh lg:w-56 lg:shrink-0 lg:flex-col lg:border-line lg:border-r lg:bg-card collapsed:w-14 print:hidden">
        {header}
        {navigation}
        <button
          type="button"
          id="collapse"
          className="nav-row mx-2 mb-2 max-lg:hidden"
          aria-expanded={!isCollapsed}
          aria-keyshortcuts="\"
          title={`${shellCopy.collapse} (\\)`}
          onClick={toggle}
        >
          {icon}
          <span className="collapsed:sr-only">{shellCopy.collapse}</span>
        </button>
      </div>
      <div className="min-w-0 grow max-lg:pb-14">{children}</div>
    </div>
  )
}
