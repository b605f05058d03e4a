import {
  ExportedMessageRepository,
  type ThreadHistoryAdapter,
  type ThreadMessageLike,
} from '@assistant-ui/react'
import { AssistantMessageAccumulator, DataStreamDecoder } from 'assistant-stream'
import { asAsyncIterableStream } from 'assistant-stream/utils'
import { loadHistory, settingsOfPage } from '../player/page-client.ts'

interface SavedMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly SavedPart[]
}

interface SavedPart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
}

/** The server keeps every message, so nothing is appended here: the page only reads. */
export const serverHistory: ThreadHistoryAdapter = {
  async load() {
    const saved = await loadHistory<SavedMessage>()
    return {
      ...ExportedMessageRepository.fromArray(saved.map(threadMessageFrom)),
      // A question without an answer: it is being written, and comes from its beginning, below.
      unstable_resume: saved.at(-1)?.role === 'user',
    }
  },
  async *resume({ abortSignal }) {
    const path = `/api/chat/${settingsOfPage().chatId}/stream?format=data-stream`
    const { body } = await fetch(path, { signal: abortSignal })
    if (body === null) return
    const messages = body.pipeThrough(new DataStreamDecoder()).pipeThrough(new AssistantMessageAccumulator())
    yield* asAsyncIterableStream(messages)
  },
  append: async () => undefined,
}

function threadMessageFrom({ id, role, parts }: SavedMessage): ThreadMessageLike {
  return { id, role, content: parts.flatMap(partsFrom) }
}

type ContentPart = Exclude<ThreadMessageLike['content'], string>[number]

function partsFrom(part: SavedPart): readonly ContentPart[] {
  const { type, text = '', toolCallId = '', input, output, errorText } = part
  if (type === 'text' || type === 'reasoning') return [{ type, text }]
  if (!type.startsWith('tool-')) return []
  return [
    {
      type: 'tool-call',
      toolCallId,
      toolName: type.slice('tool-'.length),
      argsText: JSON.stringify(input),
      result: output ?? errorText,
      isError: errorText !== undefined,
    },
  ]
}
