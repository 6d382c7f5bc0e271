/** desk webhooks listen */
import { HELP, listen, OPTIONS, USAGE } from '@/public/docs/listen.mjs'
import type { Command } from '../command'

export const webhooksListen: Command = {
  name: 'webhooks listen',
  usage: USAGE,
  summary: 'Prints events as they happen, and can forward them to a receiver on your machine. Runs until Ctrl-C.',
  details: ['The server provides the same program at /docs/listen.mjs, for machines without `desk`.', ...HELP],
  options: OPTIONS,
  arguments: [0, 0],
  async run(values) {
    const [from, forward, secret] = ['from', 'forward', 'secret'].map((name) => values.text(name))
    await listen({ from, forward, secret, 'key-stdin': values.flag('key-stdin') })
    return {}
  },
}
