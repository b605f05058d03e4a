import { sendJson } from '@throughline/testing/http/chat-requests'
import {
  type AssistantMessage,
  AssistantMessageAccumulator,
  DataStreamDecoder,
  UIMessageStreamDecoder,
} from 'assistant-stream'
import { z } from 'zod'
import { type Client, chatId, question } from '../client.ts'
import { Screen } from '../screen.ts'
import { type End, failed, finished, type Item, type Seen, stopped } from '../seen.ts'

/** assistant-ui's reader of AI SDK chunks. */
export const assistantChunks: Client = ({ url, subAgents }) =>
  readAs(
    () => new UIMessageStreamDecoder(),
    url,
    // The reader alone cannot answer a call that waits.
    `?approvals=wait${subAgents === undefined ? '' : `&subAgents=${subAgents}`}`,
  )

/** assistant-ui's reader of data stream lines. */
export const assistantLines: Client = ({ url }) =>
  readAs(() => new DataStreamDecoder(), url, '?format=data-stream')

type Decoder = UIMessageStreamDecoder | DataStreamDecoder

async function readAs(createDecoder: () => Decoder, url: string, form: string) {
  const screen = new Screen<AssistantMessage>()
  const body = { id: chatId, messages: [question], trigger: 'submit-message' }
  let ended = read(await sendJson(`${url}/api/chat${form}`, body), createDecoder(), screen)
  return {
    shows: (words: string) => screen.shows(words),
    async comeBack() {
      await ended
      ended = read(await fetch(`${url}/api/chat/${chatId}/stream${form}`), createDecoder(), screen)
    },
    async seen() {
      await ended
      return seenOf(await screen.until(() => true))
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Shows the message as it grows. Resolves when nothing more comes, for whatever reason. */
async function read(response: Response, decoder: Decoder, screen: Screen<AssistantMessage>): Promise<void> {
  const messages = response.body?.pipeThrough(decoder).pipeThrough(new AssistantMessageAccumulator())
  await messages
    ?.pipeTo(new WritableStream({ write: message => screen.show(message) }))
    .catch(() => undefined)
}

function seenOf(message: AssistantMessage): Seen {
  return { answer: message.parts.flatMap(itemsOf), subAgents: {}, end: endOf(message) }
}

function itemsOf(part: AssistantMessage['parts'][number]): readonly Item[] {
  if (part.type === 'text') return [{ text: part.text }]
  if (part.type === 'reasoning') return [{ reasoning: part.text }]
  if (part.type !== 'tool-call') return []
  const { toolName: tool, argsText, result: output, isError } = part
  const input = JSON.parse(argsText)
  return [{ tool, input, state: part.state !== 'result' ? 'open' : isError ? 'failed' : 'done', output }]
}

const errorSchema = z.object({ message: z.string() })
const annotationSchema = z.object({ throughline: z.object({ status: z.string() }) })

function endOf({ status, metadata }: AssistantMessage): End {
  if (status.type === 'incomplete' && status.reason === 'error')
    return failed(errorSchema.parse(status.error).message)
  const annotation = annotationSchema.safeParse(metadata.unstable_annotations.at(-1))
  if (annotation.data?.throughline.status === 'stopped') return stopped
  return status.type === 'complete' ? finished : { status: 'broken off' }
}
