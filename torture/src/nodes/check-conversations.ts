import type { SeededRandom } from '@throughline/agents/testing'
import { entryIn, loggedEventsIn, type Viewer } from '@throughline/protocol/history'
import type { ChatReading } from '@throughline/testing/http/read-chat'
import { type CheckOptions, checkChat } from '../scenarios/check-chat.ts'
import { addTallies, emptyTally, type Tally } from '../scenarios/tally.ts'
import type { Conversation } from './node-chats.ts'
import type { NodeCluster } from './node-cluster.ts'

interface ConversationsOptions extends Pick<CheckOptions, 'mustWork'> {
  readonly cluster: NodeCluster
  readonly random: SeededRandom
  /** Whether the database may have lost what it had acknowledged. */
  readonly mayLose: boolean
  /** How long runs may still go on. Default: nothing goes on any more. */
  readonly patienceMs?: number
  /** Is told every log. */
  readonly onLog?: (log: string) => void
}

/** Compares every chat with what is known about it. Each is read from another node. */
export async function checkConversations(
  conversations: readonly Conversation[],
  options: ConversationsOptions,
): Promise<Tally> {
  const tallies: Tally[] = []
  for (const conversation of conversations) tallies.push(await checkConversation(conversation, options))
  return addTallies(tallies)
}

async function checkConversation(
  conversation: Conversation,
  { cluster, random, mayLose, mustWork, patienceMs = 0, onLog = () => undefined }: ConversationsOptions,
): Promise<Tally> {
  const { chat } = conversation
  const { client } = cluster.anyNode(random)
  const found = mayLose ? await client.get(`/api/chats/${chat.id}/messages`) : undefined
  if (found?.type === 'response' && found.status === 404)
    return { ...emptyTally, notes: { 'chats lost with the database': 1 } }
  const viewers = conversation.viewers.map(({ seen }) => seen)
  chat.watch(viewers)
  chat.load(conversation.viewers.flatMap(({ loads }) => loads))
  let declared = 0
  const onRead = (reading: Extract<ChatReading, { type: 'chat' }>) => {
    onLog(reading.log)
    if (!mayLose) return
    forgetLost(conversation, reading)
    declared = countLost(viewers, reading.log)
  }
  const tally = await checkChat(chat, { client, patienceMs, mustWork, mayLose, onRead })
  if (tally === undefined) throw new Error(`Chat ${chat.id} cannot be read: its node does not respond.`)
  const resets = conversation.viewers.reduce((sum, viewer) => sum + viewer.resets, 0)
  const notes = {
    ...(resets === 0 ? {} : { resets }),
    ...(declared === 0 ? {} : { 'entries declared lost': declared }),
  }
  return addTallies([tally, { ...emptyTally, notes }])
}

/** Returns how many entries were shown that the log does not have any more. The checks find whether who saw them was reset. */
function countLost(viewers: readonly Viewer[], log: string): number {
  const kept = new Set(loggedEventsIn(log).map(({ data }) => data))
  const shown = viewers.flatMap(({ sightings }) => sightings.flatMap(({ bytes }) => loggedEventsIn(bytes)))
  return new Set(shown.flatMap(({ name, data }) => (name === undefined && !kept.has(data) ? [data] : [])))
    .size
}

/**
 * A message that is not there was accepted by a database that has lost it. The checks must not expect it. One that waited for
 * its turn is perhaps there, and got another run when its turn came again.
 */
function forgetLost({ chat }: Conversation, { messages, log }: Extract<ChatReading, { type: 'chat' }>): void {
  chat.keepRuns(new Set(loggedEventsIn(log).map(event => entryIn(event).runId)))
  for (const id of chat.letterIds()) if (!messages.some(message => message.id === id)) chat.forget(id)
}
