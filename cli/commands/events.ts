/** desk events list, show, retry */
import { EVENT_STATES, type EventState, listEvents, showEvents } from '@/lib/sync/stripe/events'
import { retryEvents } from '@/lib/sync/stripe/retry'
import { type Command, CommandError, type Values, withDatabase } from '../command'
import { mustBeSeller } from './key'

const seller = { seller: { type: 'string' } } as const
const SELLER = '--seller ID   whose events; every seller’s if not given'

/** @throws {CommandError} where there is no such seller */
async function sellerFrom(values: Values): Promise<string | undefined> {
  const id = values.text('seller')
  return id === undefined ? undefined : mustBeSeller(id)
}

function stateFrom(values: Values): EventState | undefined {
  const name = values.text('state')
  const known = EVENT_STATES.find((state) => state === name)
  if (name !== undefined && !known) throw new CommandError(`There is no state ${name}. It is one of ${EVENT_STATES.join(', ')}.`)
  return known
}

export const eventsList: Command = {
  name: 'events list',
  usage: '[--seller ID] [--state S]',
  summary: 'Lists the newest 100 events that Stripe has sent, newest first.',
  details: [SELLER, `--state S     one of ${EVENT_STATES.join(', ')}; failed ones say why`],
  options: { ...seller, state: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const state = stateFrom(values)
    return { output: await withDatabase(async () => ({ data: await listEvents({ seller: await sellerFrom(values), state }) })) }
  },
}

export const eventsShow: Command = {
  name: 'events show',
  usage: 'ID… [--seller ID]',
  summary: 'Shows events with what Stripe sent, less its client secrets.',
  details: [SELLER],
  options: seller,
  arguments: [1, 100],
  async run(values, ids) {
    const data = await withDatabase(async () => showEvents({ seller: await sellerFrom(values), ids }))
    if (data.length === 0) throw new CommandError('There is no such event. `desk events list` shows the newest.')
    return { output: { data } }
  },
}

export const eventsRetry: Command = {
  name: 'events retry',
  usage: '(ID… | --all) [--seller ID]',
  summary: 'Works failed events off once more. Exit code 2 where some fail again.',
  details: [SELLER, '--all         every failed one'],
  options: { ...seller, all: { type: 'boolean' } },
  arguments: [0, 1000],
  async run(values, words) {
    if (values.flag('all') === words.length > 0) throw new CommandError('Give the ids of events, or --all.')
    const ids = values.flag('all') ? undefined : words
    return withDatabase(async () => {
      const data = await retryEvents({ seller: await sellerFrom(values), ids }, undefined)
      if (ids && data.length === 0)
        throw new CommandError('None of these events has failed. `desk events list --state failed` shows those that have.')
      return { output: { data }, partly: data.some(({ state }) => state === 'failed') }
    })
  },
}
