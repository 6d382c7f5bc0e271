/** desk events list, show, retry */
import { EVENT_STATES, type EventState, listEvents, showEvents } from '@/lib/sync/stripe/events'
import { retryEvents } from '@/lib/sync/stripe/retry-events'
import { type Command, CommandError, printMessage, type Values, withDatabase } from '../command'
import { requireSeller } from '../with-seller'

const seller = { seller: { type: 'string' } } as const
const SELLER = '--seller ID   the seller’s ID (default: all sellers)'

/** Returns the seller's ID from --seller, or undefined if the option is missing. @throws {CommandError} if there is no such seller */
async function readSeller(values: Values): Promise<string | undefined> {
  const id = values.text('seller')
  return id === undefined ? undefined : requireSeller(id)
}

/** Returns the state from --state, or undefined if the option is missing. @throws {CommandError} if the state is unknown */
function parseState(values: Values): EventState | undefined {
  const name = values.text('state')
  const found = EVENT_STATES.find((state) => state === name)
  if (name !== undefined && !found) throw new CommandError(`Unknown state ${name}. Use one of ${EVENT_STATES.join(', ')}.`)
  return found
}

/** Prints the IDs that are not in `found`. @param problem the message to print before them @returns whether there are any */
function reportMissing(ids: string[], found: { id: string }[], problem: string): boolean {
  const missing = [...new Set(ids)].filter((id) => !found.some((event) => event.id === id))
  if (missing.length > 0) printMessage(`${problem}: ${missing.join(', ')}.`)
  return missing.length > 0
}

export const eventsList: Command = {
  name: 'events list',
  usage: '[--seller ID] [--state S]',
  summary: 'Lists the 100 most recent events from Stripe, newest first.',
  details: [SELLER, `--state S     one of ${EVENT_STATES.join(', ')}; failed events are printed with their errors`],
  options: { ...seller, state: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const state = parseState(values)
    return { output: await withDatabase(async () => ({ data: await listEvents({ seller: await readSeller(values), state }) })) }
  },
}

export const eventsShow: Command = {
  name: 'events show',
  usage: 'ID… [--seller ID]',
  summary:
    'Prints events from Stripe with their payloads, without client secrets. The exit code is 2 if only some of the events exist, and 1 if none do.',
  details: [SELLER],
  options: seller,
  arguments: [1, 100],
  async run(values, ids) {
    const data = await withDatabase(async () => showEvents({ seller: await readSeller(values), ids }))
    if (data.length === 0) throw new CommandError('No such event. Run `desk events list` to list recent events.')
    return { output: { data }, isPartial: reportMissing(ids, data, 'No such event') }
  },
}

export const eventsRetry: Command = {
  name: 'events retry',
  usage: '(ID… | --all) [--seller ID]',
  summary:
    'Retries failed events from Stripe. The exit code is 2 if any fail again or only some of the IDs are those of failed events, and 1 if none are.',
  details: [SELLER, '--all         retry every failed event'],
  options: { ...seller, all: { type: 'boolean' } },
  arguments: [0, 1000],
  async run(values, positionals) {
    if (values.flag('all') === positionals.length > 0) throw new CommandError('Specify event IDs or --all.')
    const ids = values.flag('all') ? undefined : positionals
    return withDatabase(async () => {
      const data = await retryEvents({ seller: await readSeller(values), ids }, undefined)
      if (ids && data.length === 0)
        throw new CommandError('None of these events has failed. Run `desk events list --state failed` to list failed events.')
      const hasMissing = ids !== undefined && reportMissing(ids, data, 'Not retried, because these are not failed events')
      return { output: { data }, isPartial: hasMissing || data.some(({ state }) => state === 'failed') }
    })
  },
}
