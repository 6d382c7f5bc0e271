/** The heading and tables of a settings page. On phones and tablets, table rows become cards. */
import type { ReactNode } from 'react'
import { listCopy } from '../copy/list'
import { formatInstant } from './cells'
import { Link } from './link'

type SectionProps = {
  title: string
  hint: string | undefined
  /** Buttons next to the heading. */
  action?: ReactNode
  /** Whether the section is a page outside the settings, so that its title is the page's heading. */
  isWholePage?: boolean
  children: ReactNode
}

export function SettingsSection({ title, hint, action, isWholePage = false, children }: SectionProps) {
  const Title = isWholePage ? 'h1' : 'h2'
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-64">
          <Title className={`font-semibold tracking-tight ${isWholePage ? 'text-xl' : 'text-lg'}`}>{title}</Title>
          {hint ? <p className="text-quiet text-sm">{hint}</p> : null}
        </div>
        {action}
      </div>
      {children}
    </>
  )
}

type TableProps = {
  caption: string
  headers: string[]
  /** The visually hidden header of the last column, which contains buttons. */
  actions?: string
  children: ReactNode
}

export function Table({ caption, headers, actions, children }: TableProps) {
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-card max-lg:border-0 max-lg:bg-transparent">
      <table className="w-full text-sm tabular-nums max-lg:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-lg:sr-only">
          <tr>
            {headers.map((header) => (
              <th key={header} scope="col" className="border-line border-b px-3 py-2 text-left align-bottom font-medium text-quiet">
                {header}
              </th>
            ))}
            {actions === undefined ? null : (
              <th scope="col" className="border-line border-b">
                <span className="sr-only">{actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody className="max-lg:flex max-lg:flex-col max-lg:gap-2">{children}</tbody>
      </table>
    </div>
  )
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="border-line border-b align-top last:border-b-0 max-lg:flex max-lg:flex-col max-lg:gap-1 max-lg:rounded-lg max-lg:border max-lg:bg-card max-lg:p-3 max-lg:last:border-b">
      {children}
    </tr>
  )
}

/** @param label the column's label, shown before the value on a card */
export function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td className="px-3 py-3 max-lg:flex max-lg:gap-3 max-lg:p-0 max-lg:has-[div:empty]:hidden">
      <span aria-hidden className="w-20 shrink-0 text-quiet lg:hidden">
        {label}
      </span>
      <div className="min-w-0 break-words">{children}</div>
    </td>
  )
}

export function ActionsCell({ children }: { children: ReactNode }) {
  return (
    <td className="px-3 py-2 max-lg:mt-1 max-lg:p-0">
      <div className="flex flex-wrap gap-2 lg:justify-end">{children}</div>
    </td>
  )
}

/** A timestamp in the seller's time zone. Its tooltip is the exact time. @param at ISO 8601 */
export function Timestamp({ at, timeZone, withSeconds }: { at: string; timeZone: string; withSeconds?: boolean }) {
  return (
    <time dateTime={at} title={at} className="text-quiet 2xl:whitespace-nowrap">
      {formatInstant(at, timeZone, withSeconds)}
    </time>
  )
}

/** An empty state that says what to do. */
export function EmptyState({ title, hint, children }: { title: string; hint: string; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-line border-dashed px-5 py-10 text-center">
      <p className="font-medium">{title}</p>
      <p className="text-quiet text-sm">{hint}</p>
      {children ? <div className="mt-4 flex justify-center">{children}</div> : null}
    </div>
  )
}

/**
 * Reports that the URL of a list has invalid parameters.
 *
 * @param hint what is wrong
 * @param href the list's first page
 */
export const InvalidLink = ({ hint, href, label = listCopy.firstPage }: { hint: string; href: string; label?: string }) => (
  <EmptyState title={listCopy.badLink} hint={hint}>
    <Link className="button" href={href}>
      {label}
    </Link>
  </EmptyState>
)
