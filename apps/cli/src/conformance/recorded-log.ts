import { type ChatId, formatPosition, isRecord, type Position, parsePosition } from '@throughline/protocol'
import { NoResponse, UnexpectedResponse } from './checked-server.ts'
import type { Session } from './session.ts'
import type { ReceivedEvent } from './sse-splitter.ts'
import type { SseStream, Waited } from './sse-stream.ts'

/** The log of a chat, from its beginning to a position. */
export interface RecordedLog {
  readonly position: Position
  readonly events: readonly ReceivedEvent[]
  /** `enough` when the event at the position has come. */
  readonly end: Waited
}

/** Reads the log of a chat up to the position that the chat has now. The stream is still open then. */
export async function readLog(session: Session, chatId: ChatId): Promise<RecordedLog> {
  const { position } = await readMessages(session, chatId)
  const { epoch, seq } = position
  const last = formatPosition(position)
  const isWhole = ({ events }: SseStream) => events.at(-1)?.id === last || events.length >= seq
  try {
    using stream = await session.server.open(`/api/chats/${chatId}/log?after=${epoch}.0`)
    const end = await stream.until(isWhole, session.options.patienceMs)
    return { position, events: [...stream.events], end }
  } catch (error) {
    // A proxy that buffers may hold even the headers back.
    if (error instanceof NoResponse) return { position, events: [], end: 'late' }
    throw error
  }
}

/** Returns the messages of a chat as the server has saved them, and the position that they stand for. */
export async function readMessages(
  { server }: Pick<Session, 'server'>,
  chatId: ChatId,
): Promise<{ readonly messages: readonly unknown[]; readonly position: Position }> {
  const path = `/api/chats/${chatId}/messages?branches=all&subAgents=separate`
  const { status, text, body } = await server.request(path)
  const messages = isRecord(body) ? body['messages'] : undefined
  const given = isRecord(body) ? body['position'] : undefined
  const position = typeof given === 'string' ? parsePosition(given) : undefined
  if (status !== 200 || !Array.isArray(messages) || position === undefined)
    throw new UnexpectedResponse(path, status, text)
  return { messages, position }
}
