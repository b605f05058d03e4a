import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'
import { currentFrame } from '@throughline/agents'
import { waitForApproval } from '@throughline/agents/testing'
import { type DeliveryOptions, telegramChannel } from '@throughline/channels'
import { isOwnerId } from '@throughline/protocol'
import { type InstalledChannel, startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { pino } from 'pino'
import { finish, say, scriptedAgent } from '../agent/scripted-agent.ts'
import { idOf } from '../log/id-of.ts'
import { alice } from '../telegram/telegram-messages.ts'
import { hookChannels } from './channel-server.ts'

// This program is a server that tests kill. Its agent writes numbered sentences to every message, in one channel, block
// by block. With --ask it asks for approval after the first sentence.

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    hook: { type: 'string', default: '' },
    telegram: { type: 'string' },
    token: { type: 'string' },
    ask: { type: 'boolean', default: false },
  },
})

const delivery: DeliveryOptions = { minChars: 40, maxChars: 90, preference: 'sentence', idleMs: 5 }

const agent = scriptedAgent('assistant', async function* ({ messages }) {
  const question = messages.at(-1)?.id ?? ''
  for (let sentence = 1; sentence <= 25; sentence += 1) {
    yield say(`Sentence ${sentence} of the answer to ${question}. `)
    await new Promise(resolve => setTimeout(resolve, 3))
    if (!values.ask || sentence > 1) continue
    const call = { toolCallId: 'call-1', toolName: 'remove', input: { question } }
    yield { type: 'tool-call', ...call }
    await waitForApproval(currentFrame(), call)
    yield { type: 'tool-result', ...call, output: 'It is gone.' }
  }
  yield finish
})

const store = await openStore(values.data)
const server = await startServer({
  store,
  agents: [agent],
  channels: channels(),
  logger: pino({ level: 'silent' }),
  port: 0,
})
// Node writes its cache of compiled code at the end of a process. This one is killed, so it writes the cache now.
flushCompileCache()
console.log(server.url)

function channels(): ReadonlyMap<string, InstalledChannel> {
  const { telegram: apiRoot, token, hook } = values
  if (apiRoot === undefined) return hookChannels(hook, delivery)
  const channel = telegramChannel({
    token,
    apiRoot,
    format: 'plain',
    allowUsers: 'everybody',
    approvers: [alice.id],
  })
  return new Map([['telegram', { channel, ownerId: idOf(isOwnerId, 'local'), delivery }]])
}
