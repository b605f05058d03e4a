import { isRecord, type Message } from '@throughline/protocol'
import type { SseRecorder } from '@throughline/protocol/history'
import type { Following, HttpClient, Reply } from './http-client.ts'

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
export async function readChat(client: HttpClient, chatId: string): Promise<ChatReading> {
  const reply = await client.get(`/api/chats/${chatId}/messages?branches=all&subAgents=separate`)
  if (reply.type === 'response' && reply.status === 404) return { type: 'missing' }
  const loaded = loadedFrom(reply)
  if (loaded === undefined) return { type: 'failed', problem: describeReply(reply), log: '' }
  const { messages, position } = loaded
  if (position.endsWith('.0')) return { type: 'chat', messages, position, log: '' }
  const path = `/api/chats/${chatId}/log?after=${position.replace(/\.\d+$/, '.0')}`
  const isWhole = ({ events, bytes }: Pick<Following, 'events' | 'bytes'>) =>
    bytes.endsWith('\n\n') && events.some(({ id }) => id === position)
  const until = Date.now() + patienceMs
  // Heartbeats come even if nothing else does.
  const isEnough = (seen: SseRecorder) => isWhole(seen) || Date.now() > until
  const log = await client.follow(path, { isEnough })
  if (!isWhole(log)) return { type: 'failed', problem: `The log of ${chatId}: ${log.end}.`, log: log.bytes }
  return { type: 'chat', messages, position, log: log.bytes }
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
