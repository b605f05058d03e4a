import { seededRandom } from '@throughline/agents/testing'
import { checkChat } from './check-chat.ts'
import { assertAlive, type OpenServer, openServer } from './open-server.ts'
import type { Scenario } from './scenario.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'
import { type Letter, type Sent, TorturedChat } from './tortured-chat.ts'

/**
 * The same message is sent many times: at once, while its answer is being written, and after it. It gets one run and
 * one row. The same id with another text is refused.
 */
export const retries: Scenario = {
  name: 'retries',
  unit: 'retries',
  async open(place) {
    const opened = await openServer(place)
    return {
      lanes: 16,
      run: seed => retryCase(opened, seed),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    }
  },
}

async function retryCase(opened: OpenServer, seed: number): Promise<Tally> {
  assertAlive(opened.server)
  const { client } = opened
  const random = seededRandom(seed)
  const chat = new TorturedChat(`retry-${seed}`)
  const order = { words: random.below(30), padding: 0, pauseMs: random.pick([0, 0, 1]), hasTool: true }
  const letter: Letter = {
    messageId: `${chat.id}-1`,
    agent: 'script',
    order,
    onBusy: random.pick(['reject', 'queue']),
  }
  const send = () => chat.send(client, letter)

  const atOnce = await Promise.all(Array.from({ length: 2 + random.below(6) }, send))
  const during = [await send(), await send()]
  const other = new TorturedChat(chat.id)
  const refused = await other.send(client, { ...letter, order: { ...order, words: order.words + 1 } })
  if (refused.reply.type === 'broken' || refused.reply.status !== 409)
    throw new Error(`Another text under the same id: ${JSON.stringify(refused.reply)}`)
  if (random.next() < 0.3) await chat.stop(client, letter.messageId)
  const checked = await checkChat(chat, { client, patienceMs: 20_000 })
  const after = await Promise.all(Array.from({ length: 1 + random.below(4) }, send))
  const checkedAgain = await checkChat(chat, { client, patienceMs: 0 })

  const sent = [...atOnce, ...during, ...after]
  assertAccepted(sent)
  // The first one is no retry.
  const done = { ...emptyTally, done: sent.length - 1, runs: 1, stopsMs: chat.stopsMs }
  return addTallies([checked ?? emptyTally, checkedAgain ?? emptyTally, done])
}

function assertAccepted(sent: readonly Sent[]): void {
  const refused = sent.find(({ run }) => run === undefined)
  if (refused !== undefined) throw new Error(`A retry was not accepted: ${JSON.stringify(refused.reply)}`)
}
