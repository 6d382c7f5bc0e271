/** Settings page for owners and staff: check-in devices. */
import type { Metadata } from 'next'
import type { Tone } from '@/app/_components/cells'
import { Link } from '@/app/_components/link'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { StatusBadge } from '@/app/_components/status-badge'
import { devicesCopy as copy } from '@/app/copy/devices'
import { refusalCopy } from '@/app/copy/refusals'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { type DeviceState, type ListedDevice, listDevices } from '@/lib/accounts/check-in-devices'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { countOpenConflicts } from '@/lib/admission/conflicts'
import { countEvents } from '@/lib/admission/event-counts'
import { CreateDevice, RevokeDevice } from './device-dialogs'

export const metadata: Metadata = { title: settingsCopy.areas.devices }

const TONES: Record<DeviceState, Tone> = {
  pending: 'warn',
  code_expired: 'neutral',
  active: 'good',
  expired: 'neutral',
  revoked: 'neutral',
}

type ContactProps = { device: Pick<ListedDevice, 'lastSeenAt' | 'listedAt' | 'unsentScans' | 'clockOffsetMs'>; timeZone: string }

/** Shows the time of the last contact and any problems reported by the device. */
function Contact({ device: { lastSeenAt, listedAt, unsentScans, clockOffsetMs }, timeZone }: ContactProps) {
  if (lastSeenAt === null) return settingsCopy.never
  const reported = [unsentScans > 0 ? copy.unsent(unsentScans) : undefined, copy.clock(clockOffsetMs ?? 0)].filter(Boolean).join(' · ')
  return (
    <>
      <Timestamp at={lastSeenAt} timeZone={timeZone} />
      {listedAt === null ? null : (
        <span className="block text-quiet text-sm">
          {copy.listed} <Timestamp at={listedAt} timeZone={timeZone} />
        </span>
      )}
      {reported ? <span className="block text-sm text-warn">{reported}</span> : null}
    </>
  )
}

/** Formats a device's rights other than scanning. Omits `session`, which is a restriction and is shown separately. */
const formatRights = (rights: readonly string[]) =>
  rights.flatMap((right) => (right === 'session' ? [] : [copy.rightNames[right] ?? right])).join(', ') || copy.noRights

type Props = {
  caption: string
  devices: ListedDevice[]
  /** The names of events by ID. */
  eventNames: Map<string, string>
  timeZone: string
  /** Whether the devices can be revoked. */
  hasActions: boolean
}

function DeviceTable({ caption, devices, eventNames, timeZone, hasActions }: Props) {
  const { columns } = copy
  return (
    <Table caption={caption} headers={Object.values(columns)} {...(hasActions ? { actions: settingsCopy.actions } : {})}>
      {devices.map(({ id, name, state, pageIds, rights, expiresAt, ...device }) => (
        <Row key={id}>
          <Cell label={columns.name}>
            <span className="font-medium">{name}</span>
          </Cell>
          <Cell label={columns.events}>{pageIds.map((pageId) => eventNames.get(pageId) ?? pageId).join(', ') || copy.allEvents}</Cell>
          <Cell label={columns.rights}>
            {formatRights(rights)}
            {rights.includes('session') ? <span className="block text-quiet text-sm">{copy.rightNames.session}</span> : null}
          </Cell>
          <Cell label={columns.seen}>
            <Contact device={device} timeZone={timeZone} />
          </Cell>
          <Cell label={columns.expires}>
            <Timestamp at={expiresAt} timeZone={timeZone} />
          </Cell>
          <Cell label={columns.state}>
            <StatusBadge tone={TONES[state]}>{copy.states[state]}</StatusBadge>
          </Cell>
          {hasActions ? (
            <ActionsCell>
              <RevokeDevice id={id} name={name} />
            </ActionsCell>
          ) : null}
        </Row>
      ))}
    </Table>
  )
}

export default async function DevicesPage() {
  const { sellerId, timeZone } = await requireUser('records', '/settings/devices')
  const [devices, pages, counts, openConflicts] = await Promise.all([
    listDevices(sellerId),
    listCheckoutPages(sellerId),
    countEvents(sellerId),
    countOpenConflicts(sellerId),
  ])
  // Only events can be selected. Products have neither tickets nor a start date.
  const pagesWithTickets = new Set(counts.map(({ pageId }) => pageId))
  const events = pages.filter(({ id, startsAt }) => startsAt !== null || pagesWithTickets.has(id))
  const eventNames = toPageNames(pages)
  const isInactive = ({ state }: ListedDevice) => state === 'revoked' || state === 'expired'
  const [active, inactive] = [devices.filter((device) => !isInactive(device)), devices.filter(isInactive)]
  const props = { eventNames, timeZone }
  return (
    <SettingsSection
      title={settingsCopy.areas.devices}
      hint={copy.hint}
      action={
        <div className="flex flex-wrap gap-2">
          <Link href="/tickets/refused" className="button">
            {refusalCopy.link}
          </Link>
          <Link href="/settings/devices/conflicts" className="button">
            {copy.conflicts(openConflicts)}
          </Link>
          <CreateDevice events={events.map(({ id, name }) => ({ id, name }))} />
        </div>
      }
    >
      {active.length > 0 ? (
        <DeviceTable caption={settingsCopy.areas.devices} devices={active} hasActions {...props} />
      ) : (
        <EmptyState title={copy.none} hint={copy.noneHint} />
      )}
      {inactive.length > 0 ? (
        <details className="mt-6">
          <summary className="mb-2 cursor-pointer py-1 text-quiet text-sm">{copy.inactive(inactive.length)}</summary>
          <DeviceTable caption={copy.inactive(inactive.length)} devices={inactive} hasActions={false} {...props} />
        </details>
      ) : null}
    </SettingsSection>
  )
}
