import { parseArgs } from 'node:util'
import { telegramChannel } from '@throughline/channels/telegram/telegram-channel'
import { isOwnerId } from '@throughline/protocol/ids'
import { startServer } from '@throughline/server/start-server'
import { openStore } from '@throughline/store/open-store'
import { pino } from 'pino'
import { hookChannels } from './channel-server.ts'
import { idOf } from './id-of.ts'
import { finish, say, scriptedAgent } from './scripted-agent.ts'

// A server of its own that can be killed: it answers every message with numbered sentences, to one channel.
const { values } = parseArgs({
  options: { data: { type: 'string' }, hook: { type: 'string' }, telegram: { type: 'string' } },
})
const { data = '', hook = '', telegram } = values
const delivery = { minChars: 40, maxChars: 90, preference: 'sentence', idleMs: 5 } as const
const channel =
  telegram === undefined
    ? hookChannels(hook, delivery)
    : new Map([
        [
          'telegram',
          {
            channel: telegramChannel({ token: '1:test', apiRoot: telegram, format: 'plain' }),
            ownerId: idOf(isOwnerId, 'local'),
            delivery,
          },
        ],
      ])

const agent = scriptedAgent('assistant', async function* ({ messages }) {
  const question = messages.at(-1)?.id ?? ''
  for (let sentence = 0; sentence < 30; sentence += 1) {
    yield say(`Sentence ${sentence} of the answer to ${question}. `)
    await new Promise(resolve => setTimeout(resolve, 4))
  }
  yield finish
})

const store = await openStore(data)
const server = await startServer({
  store,
  agents: [agent],
  channels: channel,
  logger: pino({ level: 'silent' }),
  port: 0,
})
console.log(server.url)
