import { type Chunk, isChunk, isEndChunk, parseEntry } from '@throughline/protocol'
import { submit } from '@throughline/testing/http/chat-requests'
import { readAsStock } from '@throughline/testing/http/read-chunks'
import { type Client, chatId, question, questionText } from './client.ts'
import { Screen } from './screen.ts'
import { seenIn } from './seen-in-messages.ts'

/** Opens an `EventSource`, wherever it may be, and tells the data of each event. Answers how to close it. */
export type OpenSource = (url: string, onData: (data: string) => void) => Promise<() => Promise<void>>

interface Source {
  readonly open: OpenSource
  readonly path: string
  /** What was told, whose it is, and whether that is all. */
  readonly read: (events: readonly string[]) => { readonly told: readonly Told[]; readonly isEnded: boolean }
}

interface Told {
  readonly messageId: string
  readonly chunk: Chunk
}

/** Follows the log of the chat, in which every entry is once; the answer has ended with its last chunk. */
export function logClient(open: OpenSource): Client {
  const path = `/api/chats/${chatId}/log`
  return sourceClient({
    open,
    path,
    read(events) {
      const told = events.map((data, index) => {
        const parsed = parseEntry(data)
        if (parsed.type === 'invalid') throw new Error(parsed.problem)
        const { entry } = parsed
        if (entry.seq !== index + 1) throw new Error(`Entry ${entry.seq} came as number ${index + 1}.`)
        return entry
      })
      // The master begins first.
      const answerId = told.find(({ chunk }) => chunk.type === 'start')?.messageId
      const isEnded = told.some(({ messageId, chunk }) => messageId === answerId && isEndChunk(chunk))
      return { told, isEnded }
    },
  })
}

/** Follows the run that is going on, to its `[DONE]`. */
export function streamClient(open: OpenSource): Client {
  // It cannot answer, so there is nothing to gain from a stream that ends while a call waits.
  const path = `/api/chat/${chatId}/stream?subAgents=separate&approvals=wait`
  return sourceClient({
    open,
    path,
    read(events) {
      const isEnded = events.at(-1) === '[DONE]'
      return { told: events.filter(data => data !== '[DONE]').map(toldIn), isEnded }
    },
  })
}

/** Whose chunk an event of a run is: that of the answer, or that of a sub-agent. */
export function toldIn(data: string): Told {
  const value: unknown = JSON.parse(data)
  if (!isChunk(value)) throw new Error(`This is no chunk: ${data}`)
  const enveloped = value.type === 'data-sub-agent' && 'data' in value ? value.data : undefined
  if (!isChunk(enveloped)) return { messageId: 'answer', chunk: value }
  return { messageId: 'id' in value ? String(value.id) : '', chunk: enveloped }
}

/** A question cannot be asked with an `EventSource`: it is sent beside it. */
function sourceClient({ open, path, read }: Source): Client {
  return async ({ url }) => {
    const screen = new Screen<readonly string[]>()
    let events: readonly string[] = []
    await submit(url, { chatId, messageId: question.id, text: questionText })
    const close = await open(`${url}${path}`, data => {
      events = [...events, data]
      screen.show(events)
    })
    return {
      shows: words => screen.shows(words),
      async seen() {
        const { told } = read(await screen.until(shown => read(shown).isEnded))
        const answers = await Promise.all(chunksByAnswer(told).map(readAsStock))
        return seenIn(answers.map(({ message }) => message))
      },
      [Symbol.asyncDispose]: close,
    }
  }
}

/** The chunks of each message that an agent has begun. */
function chunksByAnswer(told: readonly Told[]): readonly (readonly Chunk[])[] {
  return [...Map.groupBy(told, ({ messageId }) => messageId).values()]
    .map(each => each.map(({ chunk }) => chunk))
    .filter(chunks => chunks.some(({ type }) => type === 'start'))
}
