import { setTimeout as pause } from 'node:timers/promises'
import { currentFrame } from '@throughline/agents'
import { waitForApproval } from '@throughline/agents/testing'
import { webhookChannel } from '@throughline/channels'
import { isOwnerId } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBase64 } from '@throughline/testing/browser/picture'
import { idOf } from '@throughline/testing/log/id-of'
import { torturedAgents } from '../server/tortured-agents.ts'

/** With it, messages to the channel are signed. */
export const hookSecret = 'a secret of the torture'

/**
 * Returns the options of a recorded server: the agents of the torture, `painter`, whose tool makes a picture, and `asker`, who
 * asks for approval. With an address, people also talk to the painter in a channel.
 */
export function recordedAgents(hookUrl: string | undefined) {
  const options = torturedAgents()
  const agents = [...options.agents, painter, asker]
  if (hookUrl === undefined) return { ...options, agents }
  const delivery = { minChars: 40, maxChars: 90, preference: 'sentence', idleMs: 5 } as const
  const channel = webhookChannel({ url: hookUrl, secret: hookSecret })
  const ownerId = idOf(isOwnerId, 'local')
  return {
    ...options,
    agents,
    channels: new Map([['hook', { channel, ownerId, agent: 'painter', delivery }]]),
  }
}

const painter = scriptedAgent('painter', async function* ({ messages }) {
  const question = messages.at(-1)?.id ?? ''
  for (let sentence = 1; sentence <= 8; sentence += 1) {
    yield say(`Sentence ${sentence} of the answer to ${question}. `)
    await pause(3)
    if (sentence !== 2) continue
    const call = { toolCallId: `paint-${question}`, toolName: 'paint', input: {} }
    yield { type: 'tool-call', ...call }
    yield { type: 'tool-result', ...call, output: { picture: `data:image/png;base64,${pictureBase64}` } }
  }
  yield finish
})

const asker = scriptedAgent('asker', async function* () {
  yield say('May I remove it? ')
  const call = { toolCallId: 'remove-1', toolName: 'remove', input: { what: 'all' } }
  yield { type: 'tool-call', ...call }
  await waitForApproval(currentFrame(), call)
  yield { type: 'tool-result', ...call, output: 'It is gone.' }
  yield say('Done.')
  yield finish
})
