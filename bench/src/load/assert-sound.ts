import { textOf } from '@throughline/protocol'
import { checkHistory, type SavedChat, type Viewer } from '@throughline/protocol/history'
import { HttpClient } from '@throughline/testing/http/http-client'
import { readChat } from '@throughline/testing/http/read-chat'
import { sleep } from '../timing.ts'
import { type AnswerPlan, deltaText, questionFor } from './answer-plan.ts'
import { now } from './clock.ts'
import type { SeenLog } from './viewers/viewer.ts'

/** A chat with one question, whose answer must be finished. */
export interface PlannedChat {
  readonly chatId: string
  readonly plan: AnswerPlan
}

interface Load {
  readonly chats: readonly PlannedChat[]
  /** What some viewers of these chats have got, from the beginning of the log. */
  readonly seen: readonly SeenLog[]
}

/** At most this many chats are checked, spread over all of them: to check thousands would take longer than to measure. */
const maxChats = 20
const patienceMs = 30_000

/**
 * Reads chats after a measurement, and throws when the checker of histories finds something wrong: in the log, in the saved
 * messages, between them and the plans, or in what viewers saw. The figures of such a server would mean nothing.
 */
export async function assertSound(url: string, { chats, seen }: Load): Promise<void> {
  using client = new HttpClient(url)
  const every = Math.ceil(chats.length / maxChats)
  for (const { chatId, plan } of chats.filter((_, index) => index % every === 0)) {
    const isRunning = await goesOn(client, chatId)
    const saved = { ...(await readSaved(client, chatId)), isRunning }
    const said = Array.from({ length: plan.deltas }, (_, number) => deltaText(number, plan.chars)).join('')
    const asked = saved.messages.filter(({ role }) => role === 'user')
    const submissions = asked.map(({ id }) => ({
      messageId: id,
      text: questionFor(plan),
      said,
      accepted: [],
    }))
    const viewers = seen.flatMap(each => (each.chatId === chatId ? [viewerOf(each, saved)] : []))
    const [wrong] = checkHistory({ chatId, saved, submissions, viewers })
    if (wrong !== undefined) throw new Error(`${wrong.invariant} (${wrong.kind}), ${chatId}: ${wrong.detail}`)
    const answered = saved.messages.filter(({ metadata }) => metadata?.status === 'finished').map(textOf)
    if (answered.length !== 1 || asked.length !== 1)
      throw new Error(`Chat ${chatId} has ${asked.length} questions and ${answered.length} finished answers.`)
  }
}

/** The end of a run may be saved a moment after its last delta has come. */
async function goesOn(client: HttpClient, chatId: string): Promise<boolean> {
  for (const until = now() + patienceMs; now() < until; await sleep(20)) {
    const { status } = await client.follow(`/api/chat/${chatId}/stream`, { isEnough: () => true })
    if (status === 204) return false
  }
  return true
}

async function readSaved(client: HttpClient, chatId: string): Promise<Omit<SavedChat, 'isRunning'>> {
  const reading = await readChat(client, chatId)
  if (reading.type === 'chat') return reading
  throw new Error(
    `Chat ${chatId} cannot be read: ${reading.type === 'failed' ? reading.problem : 'it is missing'}`,
  )
}

/** Without a position, the log comes from its beginning. */
function viewerOf({ bytes }: SeenLog, { log }: SavedChat): Viewer {
  const [epoch = ''] = /(?<=^id: )\w+/m.exec(log) ?? []
  return { sightings: [{ after: `${epoch}.0`, bytes }], hasStayed: true }
}
