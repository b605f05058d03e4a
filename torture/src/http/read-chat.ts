import { isRecord } from '@throughline/protocol/chunk'
import type { Message } from '@throughline/protocol/message'
import { follow } from './follow.ts'
import type { JsonClient, Reply } from './json-client.ts'

/** A chat as the server shows it: its messages, and the bytes of its log. */
export type ChatReading =
  | {
      readonly type: 'chat'
      readonly messages: readonly Message[]
      readonly log: string
      readonly position: string
    }
  | { readonly type: 'missing' }
  /** The server refused, with this problem, or the connection broke. What came of the log is in `log`. */
  | { readonly type: 'failed'; readonly problem: string; readonly log: string }

const patienceMs = 30_000

/** Reads a chat in which nothing goes on, from its first entry to its last. */
export async function readChat(client: JsonClient, url: string, chatId: string): Promise<ChatReading> {
  const reply = await client.get(`/api/chats/${chatId}/messages?branches=all&subAgents=separate`)
  if (reply.type === 'response' && reply.status === 404) return { type: 'missing' }
  const loaded = loadedFrom(reply)
  if (loaded === undefined) return { type: 'failed', problem: describeReply(reply), log: '' }
  const { messages, position } = loaded
  if (position.endsWith('.0')) return { type: 'chat', messages, position, log: '' }
  const path = `/api/chats/${chatId}/log?after=${position.replace(/\.\d+$/, '.0')}`
  const isWhole = (bytes: string) => bytes.endsWith('\n\n') && bytes.includes(`id: ${position}\n`)
  const until = Date.now() + patienceMs
  // Heartbeats come even if nothing else does.
  const { bytes, end } = await follow(url, { path, isEnough: seen => isWhole(seen) || Date.now() > until })
  if (!isWhole(bytes)) return { type: 'failed', problem: `The log of ${chatId}: ${end}.`, log: bytes }
  return { type: 'chat', messages, position, log: bytes }
}

export function describeReply(reply: Reply): string {
  return reply.type === 'broken' ? 'The connection broke.' : `${reply.status} ${reply.body.slice(0, 300)}`
}

function loadedFrom(
  reply: Reply,
): { readonly messages: readonly Message[]; readonly position: string } | undefined {
  if (reply.type === 'broken' || reply.status !== 200) return undefined
  const body: unknown = JSON.parse(reply.body)
  if (!isRecord(body) || !Array.isArray(body['messages'])) return undefined
  return { messages: body['messages'], position: String(body['position']) }
}
