import { isChatId, isRecord, type Message } from '@throughline/protocol'
import { expect } from 'vitest'
import { z } from 'zod'
import { idOf } from '../log/id-of.ts'
import { ownerIdOf, type TestServer } from '../server/test-server.ts'
import { inTime } from '../waits/in-time.ts'
import { type Question, sendJson, submit } from './chat-requests.ts'
import { fromWire } from './read-chunks.ts'
import { readLog, replay } from './read-log.ts'

const accepted = z.object({
  runId: z.string(),
  messageId: z.string(),
  responseMessageId: z.string(),
  position: z.string(),
})

const history = z.object({ messages: z.array(z.custom<Message>(isRecord)) })

const branches = z.object({
  branches: z.array(
    z.strictObject({
      id: z.string(),
      messageCount: z.number(),
      createdAt: z.iso.datetime(),
      text: z.string(),
    }),
  ),
})

/** Asks for another answer to a message, as our own client does. */
export function askAgain(url: string, question: Question = {}): Promise<Response> {
  const { chatId = 'chat', messageId = 'question', fields, headers } = question
  return sendJson(`${url}/api/chats/${chatId}/answers`, { messageId, ...fields }, { headers })
}

/** Returns the response to our own client's request for a run. Throws if the request was refused. */
export async function toldBy(response: Response): Promise<z.infer<typeof accepted>> {
  const body = await response.text()
  if (response.status !== 202) throw new Error(`${response.status}: ${body}`)
  return accepted.parse(JSON.parse(body))
}

/** Sends a message and waits for the end of its answer. Returns the id of the answer. */
export async function answerTo(url: string, question: Question = {}): Promise<string> {
  return ended(url, await submit(url, question), question)
}

/** Asks for another answer and waits for its end. Returns its id. */
export async function otherAnswerTo(url: string, question: Question = {}): Promise<string> {
  return ended(url, await askAgain(url, question), question)
}

/** Waits until no run is active in a chat. */
export async function untilIdle(url: string, chatId = 'chat'): Promise<void> {
  const stream = fetch(`${url}/api/chat/${chatId}/stream`)
  await inTime(
    `no run is active in the chat ${chatId}`,
    stream.then(response => response.text()),
  )
}

/** Loads the messages of all branches of a chat. */
export function loadAll(url: string, chatId = 'chat'): Promise<readonly Message[]> {
  return load(`${url}/api/chats/${chatId}/messages?branches=all&subAgents=separate`)
}

/** Loads the branch that goes through a message. */
export function loadBranch(url: string, messageId: string, chatId = 'chat'): Promise<readonly Message[]> {
  return load(`${url}/api/chats/${chatId}/messages?branch=${messageId}&subAgents=separate`)
}

export async function loadBranches(url: string, chatId = 'chat') {
  const response = await fetch(`${url}/api/chats/${chatId}/branches`)
  return branches.parse(await response.json()).branches
}

export async function shownIds(url: string, chatId = 'chat'): Promise<readonly string[]> {
  return idsOf(await load(`${url}/api/chats/${chatId}/messages?subAgents=separate`))
}

export function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id)
}

/**
 * Checks that the folded log is the chat with all its branches, and that the rows hold the same when no run is
 * active.
 */
export async function expectWhole({ url, store }: Pick<TestServer, 'url' | 'store'>): Promise<void> {
  const all = await loadAll(url)
  expect(fromWire(replay(await readLog(url)))).toEqual(all)
  expect(new Set(idsOf(all)).size).toBe(all.length)
  if (all.some(({ metadata }) => metadata?.status === 'streaming')) return
  const [ownerId, chatId] = [ownerIdOf('local'), idOf(isChatId, 'chat')]
  // Clients see the end of a run before it is saved.
  while ((await store.runs.active({ ownerId, chatId })) !== undefined);
  const saved = await store.messages.load({ ownerId, chatId })
  expect(saved?.messages.map(({ message }) => message)).toEqual(all)
}

async function ended(url: string, response: Response, { chatId }: Question): Promise<string> {
  const { responseMessageId } = await toldBy(response)
  await untilIdle(url, chatId)
  return responseMessageId
}

async function load(url: string): Promise<readonly Message[]> {
  const response = await fetch(url)
  return history.parse(await response.json()).messages
}
