/** The header of a record's page: the amount, status and title, sticky while the page scrolls, and the actions. */
import type { ReactNode } from 'react'
import { formatInstant, statusLabel, statusTone } from '@/app/_components/cells'
import { CopyButton } from '@/app/_components/copy-button'
import { Link } from '@/app/_components/link'
import { Mark } from '@/app/_components/mark'
import { StatusBadge } from '@/app/_components/status-badge'
import { listCopy } from '@/app/copy/list'
import { recordCopy } from '@/app/copy/record'
import { NeighborLinks } from './neighbor-links'

type Props = {
  /** The list that the record belongs to. */
  list: { href: string; label: string }
  /** The name of one record, such as "Payment". */
  noun: string
  /** The path of the previous record in the list, if there is one. */
  previous: string | undefined
  /** The path of the next record in the list, if there is one. */
  next: string | undefined
  /** Whether the list is sorted with the newest records first. */
  isNewestFirst: boolean
  title: string
  /** What the title is, such as `order number`, for the copy button's label. Undefined if the title is the record's ID. */
  titleKind: string | undefined
  /** An order's amount or a coupon's discount, formatted. */
  amount?: string | undefined
  statuses: readonly string[]
  isTest: boolean
  /** The name or email address of the customer or guest, or a coupon's label. */
  person?: string | undefined
  /** ISO 8601. */
  createdAt: string
  timeZone: string
  /** The action buttons. */
  children: ReactNode
}

export function RecordHeader({
  list,
  noun,
  previous,
  next,
  isNewestFirst,
  title,
  titleKind,
  amount,
  statuses,
  isTest,
  person,
  createdAt,
  timeZone,
  children,
}: Props) {
  return (
    <>
      <div className="sticky top-(--top-bar,0px) z-10 -mx-4 border-line border-b bg-page px-4 py-2 sm:-mx-6 sm:px-6 print:static">
        <div className="flex items-center justify-between gap-3">
          <Link href={list.href} className="text-quiet text-sm underline-offset-4 hover:underline">
            {recordCopy.back(list.label)}
          </Link>
          <NeighborLinks
            list={list.href}
            previous={previous}
            next={next}
            labels={
              isNewestFirst
                ? { previous: recordCopy.newer(noun.toLowerCase()), next: recordCopy.older(noun.toLowerCase()) }
                : { previous: recordCopy.previous, next: recordCopy.next }
            }
          />
        </div>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
          {amount === undefined ? null : <span className="font-semibold text-2xl tabular-nums tracking-tight">{amount}</span>}
          {statuses.map((status) => (
            <StatusBadge key={status} tone={statusTone(status)}>
              {statusLabel(status)}
            </StatusBadge>
          ))}
          {isTest ? <Mark text={listCopy.test} /> : null}
          <div className="flex min-w-0 items-center gap-1">
            <h1
              dir="auto"
              className={`wrap-anywhere line-clamp-2 font-semibold tracking-tight ${amount === undefined ? 'text-xl' : 'text-base'}`}
            >
              {title}
            </h1>
            <CopyButton text={title} name={titleKind ?? recordCopy.members.id} />
          </div>
        </div>
      </div>
      <div className="mt-3 mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="wrap-anywhere min-w-0 text-quiet text-sm">
          {person ? (
            <>
              <bdi>{person}</bdi> ·{' '}
            </>
          ) : null}
          <time dateTime={createdAt} title={createdAt} className="tabular-nums">
            {formatInstant(createdAt, timeZone)}
          </time>
        </p>
        <div className="flex flex-wrap gap-2 sm:ml-auto print:hidden">{children}</div>
      </div>
    </>
  )
}
