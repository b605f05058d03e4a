import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { sign } from '@throughline/channels'
import { isRecord } from '@throughline/protocol'
import { HttpClient } from '@throughline/testing/http/http-client'
import { randomLetter } from '../scenarios/random-letter.ts'
import { textOfOrder } from '../server/order.ts'
import { hookSecret } from './recorded-agents.ts'
import { noteInTrace } from './trace.ts'

/** How much is recorded. */
export interface WorkloadSize {
  readonly chats: number
  /** How many messages each chat gets from each server. */
  readonly letters: number
  /** Characters of a file that a message brings, at most. */
  readonly fileBytes: number
}

/** One server, and what uses it. `number` counts the servers. */
export interface Life {
  readonly seed: number
  readonly number: number
  readonly trace: string
  readonly random: SeededRandom
  readonly size: WorkloadSize
}

/** Uses a server. `begun` resolves when half of the work is done. */
export function useServer(
  url: string,
  life: Life,
): { readonly begun: Promise<void>; readonly ended: Promise<void> } {
  const { trace, random, size, number, seed } = life
  const client = recordedClient(url, trace)
  const begun = Promise.withResolvers<void>()
  // Each chat has its own random numbers: they are used in the order in which responses come.
  const conversations = Array.from({ length: size.chats }, (_, index) => {
    const own = seededRandom(random.below(2 ** 32))
    return converse(client, {
      id: `power-${seed}-${index}`,
      number,
      random: own,
      size,
      onHalf: begun.resolve,
    })
  })
  const others = [
    removeOne(client, { id: `removed-${seed}-${number}`, number, random, size }),
    askForApproval(client, `approved-${seed}-${number}`),
    writeToChannel(client, number),
  ]
  const ended = Promise.all([...conversations, ...others]).then(() => begun.resolve())
  return { begun: begun.promise, ended }
}

/** Each request is noted in the trace before it leaves, so that its response comes after the note. */
export function recordedClient(url: string, trace: string): HttpClient {
  return new HttpClient(url, { onConnect: request => noteInTrace(trace, { type: 'request', ...request }) })
}

interface Talk {
  readonly id: string
  /** The number of the server. */
  readonly number: number
  readonly random: SeededRandom
  readonly size: WorkloadSize
  readonly onHalf?: () => void
}

/** Sends messages, and follows the log of the chat meanwhile. Sometimes stops an answer or names the chat. */
async function converse(client: HttpClient, talk: Talk): Promise<void> {
  const { id, random, size, number, onHalf } = talk
  const leaving = new AbortController()
  for (let letter = 1; letter <= size.letters; letter += 1) {
    const sent = await sendLetter(client, talk, letter)
    if (sent === undefined) return
    if (letter === 1) void client.follow(`/api/chats/${id}/log?after=${sent}`, { signal: leaving.signal })
    if (random.next() < 0.2)
      await client.send('PATCH', `/api/chats/${id}`, { title: `Title ${number}.${letter}` })
    if (random.next() < 0.15) await client.send('POST', `/api/chat/${id}/stop`, {})
    if (letter * 2 > size.letters) onHalf?.()
  }
  await waitUntilIdle(client, id)
  leaving.abort()
}

/** Returns the position at which its run begins; `undefined` when the server is gone. */
async function sendLetter(
  client: HttpClient,
  { id, random, size, number }: Talk,
  count: number,
): Promise<string | undefined> {
  const { messageId, agent: usual, order, onBusy } = randomLetter(random, `${id}-${number}-${count}`)
  const agent = random.next() < 0.2 ? 'painter' : usual
  const files = random.next() < 0.4 ? [fileOf(random, size.fileBytes)] : []
  const parts = [{ type: 'text', text: textOfOrder(order) }, ...files]
  return sendMessage(client, id, { message: { id: messageId, role: 'user', parts }, agent, onBusy })
}

async function sendMessage(client: HttpClient, id: string, sent: unknown): Promise<string | undefined> {
  const reply = await client.send('POST', `/api/chats/${id}/messages`, sent)
  if (reply.type === 'broken') return undefined
  const body: unknown = JSON.parse(reply.body)
  if (reply.status !== 202 || !isRecord(body)) throw new Error(`Not accepted: ${reply.status} ${reply.body}`)
  return String(body['position'])
}

function fileOf(random: SeededRandom, maxBytes: number) {
  const text = `${random.next()} `.repeat(1 + random.below(Math.ceil(maxBytes / 20)))
  const url = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`
  return { type: 'file', mediaType: 'text/plain', filename: 'notes.txt', url }
}

async function removeOne(client: HttpClient, talk: Talk): Promise<void> {
  if ((await sendLetter(client, talk, 1)) === undefined) return
  await pause(talk.random.below(50))
  await client.send('DELETE', `/api/chats/${talk.id}`)
}

/** Asks an agent that needs an approval, and gives it. */
async function askForApproval(client: HttpClient, id: string): Promise<void> {
  const message = { id: `${id}-1`, role: 'user', parts: [{ type: 'text', text: '{}' }] }
  const position = await sendMessage(client, id, { message, agent: 'asker' })
  if (position === undefined) return
  const asked = Promise.withResolvers<string | undefined>()
  const leaving = new AbortController()
  const followed = client.follow(`/api/chats/${id}/log?after=${position}`, {
    signal: leaving.signal,
    isEnough({ events }) {
      const [found] = events.flatMap(({ data }) => /"approvalId":"([^"]+)"/.exec(data)?.[1] ?? [])
      if (found !== undefined) asked.resolve(found)
      return false
    },
  })
  void followed.then(() => asked.resolve(undefined))
  const approval = await asked.promise
  if (approval !== undefined) await client.send('POST', `/api/approvals/${approval}`, { approved: true })
  await waitUntilIdle(client, id)
  leaving.abort()
}

/** Writes to the channel as its platform does. */
async function writeToChannel(client: HttpClient, number: number): Promise<void> {
  for (let count = 1; count <= 3; count += 1) {
    const message = { id: `m${number}-${count}`, conversation: 'room', text: 'Paint.', sender: { id: 'ada' } }
    const signature = sign(Buffer.from(JSON.stringify(message)), { secret: hookSecret, now: new Date() })
    const headers = { 'x-throughline-signature': signature }
    const { type } = await client.send('POST', '/api/channels/hook', message, headers)
    if (type === 'broken') return
    await pause(60)
  }
}

async function waitUntilIdle(client: HttpClient, id: string): Promise<void> {
  for (;;) {
    // It ends with the run. 204: no run goes on.
    const stream = await client.send('GET', `/api/chat/${id}/stream`)
    if (stream.type === 'broken' || stream.status === 204) return
  }
}
