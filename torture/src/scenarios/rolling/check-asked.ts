import type { SeededRandom } from '@throughline/agents/testing'
import type { Message } from '@throughline/protocol'
import type { ChatHistory, Violation } from '@throughline/protocol/history'
import { groupBy } from '@throughline/protocol/testing'
import type { ChatReading } from '@throughline/testing/http/read-chat'
import type { AskedMessage } from '@throughline/testing/proxies/many-clients'
import type { NodeCluster } from '../../nodes/node-cluster.ts'
import { type Order, textOfOrder, wordsOf } from '../../server/order.ts'
import { checkChat } from '../check-chat.ts'
import { addTallies, emptyTally, type Tally } from '../tally.ts'

interface AskedOptions {
  readonly cluster: NodeCluster
  readonly random: SeededRandom
  /** What every message said. */
  readonly order: Order
}

/** C2: every message that was accepted is there, and its answer is whole or was stopped. */
export async function checkAsked(asked: readonly AskedMessage[], options: AskedOptions): Promise<Tally> {
  const tallies: Tally[] = []
  for (const [id, ofChat] of groupBy(asked, ({ chatId }) => chatId))
    tallies.push(await checkOne(id, ofChat, options))
  return addTallies([...tallies, { ...emptyTally, notes: { 'messages of many clients': asked.length } }])
}

async function checkOne(
  id: string,
  asked: readonly AskedMessage[],
  { cluster, random, order }: AskedOptions,
): Promise<Tally> {
  const { client } = cluster.anyNode(random)
  const violations: Violation[] = []
  const onRead = ({ messages }: Extract<ChatReading, { type: 'chat' }>) => {
    const missing = asked.filter(({ messageId }) => !isAnswered(messages, messageId))
    for (const { messageId } of missing) {
      const detail = `Message ${messageId} was accepted, but it or its answer is missing.`
      violations.push({ kind: 'lost', invariant: 'C2', chatId: id, detail })
    }
  }
  const chat = {
    ...{ id, isKnown: true, settle: () => undefined },
    history: (reading: Extract<ChatReading, { type: 'chat' }>, isRunning: boolean): ChatHistory => ({
      ...{ chatId: id, log: reading.log, messages: reading.messages, isRunning },
      ...{ sightings: [], viewers: [], stops: [] },
      submissions: reading.messages
        .filter(({ role }) => role === 'user')
        .map(({ id: messageId }) => ({
          ...{ messageId, text: textOfOrder(order), said: wordsOf(order).join(''), accepted: [] },
        })),
    }),
  }
  // The last answer may be under way: a message counts as accepted before it is answered.
  const tally = await checkChat(chat, { client, patienceMs: 30_000, mustWork: 'answers', onRead })
  if (tally === undefined) throw new Error(`Chat ${id} cannot be read: its node does not respond.`)
  return addTallies([tally, { ...emptyTally, violations }])
}

function isAnswered(messages: readonly Message[], messageId: string): boolean {
  const index = messages.findIndex(({ id }) => id === messageId)
  return index !== -1 && messages[index + 1]?.role === 'assistant'
}
