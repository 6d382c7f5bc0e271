'use client'
/** The rows of a list, with keyboard navigation; a click anywhere on a row opens it. */
import { type ReactNode, useEffect, useRef } from 'react'

/**
 * `j` and `k` move the focus between the rows' links; Enter opens one, and `x` selects it. Each link covers its row, below cells that have tooltips:
 * clicking such a cell follows the link too.
 */
function useRows() {
  const body = useRef<HTMLTableSectionElement>(null)
  useEffect(() => {
    const rows = body.current
    const onClick = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) => {
      if (!(target instanceof Element) || target.closest('a, input, button') || window.getSelection()?.type === 'Range') return
      const link = target.closest('tr')?.querySelector('a[data-row]')
      link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
    }
    rows?.addEventListener('click', onClick)
    return () => rows?.removeEventListener('click', onClick)
  }, [])
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !target.matches('[data-select]')
      if (event.metaKey || event.ctrlKey || event.altKey || isField) return
      if (event.key === 'x') target.closest('tr')?.querySelector<HTMLInputElement>('input[data-select]')?.click()
      if (event.key !== 'j' && event.key !== 'k') return
      const links = [...(body.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [])]
      const focused = document.activeElement?.closest('tr')?.querySelector('a[data-row]')
      const at = links.indexOf(focused as HTMLAnchorElement)
      const next = event.key === 'j' ? Math.min(at + 1, links.length - 1) : Math.max(at - 1, 0)
      links[next]?.focus()
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return body
}

export function Rows({ className, children }: { className: string; children: ReactNode }) {
  const body = useRows()
  return (
    <tbody ref={body} className={className}>
      {children}
    </tbody>
  )
}
