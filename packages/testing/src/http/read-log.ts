import { type Chunk, type Entry, emptyChat, fold, type Message, messagesOf } from '@throughline/protocol'
import { entryIn } from '@throughline/protocol/history'
import { loadChat } from './chat-requests.ts'
import { SseBytes } from './sse-bytes.ts'

/** Reads a chat's log over HTTP, from its first entry to its last entry now. */
export async function readLog(url: string, chatId = 'chat'): Promise<readonly Entry[]> {
  const { position } = await loadChat(url, chatId)
  const start = position.replace(/\.\d+$/, '.0')
  await using log = new SseBytes(await fetch(`${url}/api/chats/${chatId}/log?after=${start}`))
  while (!log.events.some(({ id }) => id === position)) await log.more()
  return log.events.map(entryIn)
}

export function replay(entries: readonly Entry[]): readonly Message[] {
  return messagesOf(entries.reduce(fold, emptyChat()))
}

/** Returns the messages of the sub-agent with this name, in the order in which they began. */
export function messagesBy(messages: readonly Message[], name: string): readonly Message[] {
  return messages.filter(({ metadata }) => metadata?.agent?.name === name)
}

/** Returns the first entry with a chunk of this type, of one message or of any. Throws if there is none. */
export function entryWith(
  entries: readonly Entry[],
  type: Chunk['type'],
  of: { readonly messageId?: string; readonly toolCallId?: string } = {},
): Entry {
  const found = entries.find(({ messageId, chunk }) => {
    const isOfMessage = of.messageId === undefined || messageId === of.messageId
    const isOfCall =
      of.toolCallId === undefined || ('toolCallId' in chunk && chunk.toolCallId === of.toolCallId)
    return chunk.type === type && isOfMessage && isOfCall
  })
  if (found === undefined) throw new Error(`There is no entry ${type} ${JSON.stringify(of)}.`)
  return found
}

/** Returns the outputs of tool calls by the agent's own call ids: the part of an id after the last colon. */
export function outputsOf(entries: readonly Entry[]): ReadonlyMap<string, unknown> {
  return new Map(
    entries.flatMap(({ chunk }) =>
      chunk.type === 'tool-output-available'
        ? [[chunk.toolCallId.replace(/^.*:/, ''), chunk.output] as const]
        : [],
    ),
  )
}
