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
import { type End, failed, finished, type Item, outputFrom, type Seen, stopped } from '../seen.ts'

/** How assistant-ui reads a stream, and the form of the stream that it reads. */
export interface StreamReader {
  readonly createDecoder: () => Decoder
  readonly form: string
}

type Decoder = UIMessageStreamDecoder | DataStreamDecoder

/** assistant-ui's reader of AI SDK chunks. The reader alone cannot decide on a call that waits. */
export const chunksReader: StreamReader = {
  createDecoder: () => new UIMessageStreamDecoder(),
  form: '?approvals=wait',
}

/** assistant-ui's reader of data stream lines. */
export const linesReader: StreamReader = {
  createDecoder: () => new DataStreamDecoder(),
  form: '?format=data-stream',
}

export const assistantChunks: Client = ({ url, subAgents }) => {
  const form = subAgents === undefined ? '' : `&subAgents=${subAgents}`
  return readWith({ ...chunksReader, form: `${chunksReader.form}${form}` }, url)
}

export const assistantLines: Client = ({ url }) => readWith(linesReader, url)

async function readWith(reader: StreamReader, url: string) {
  const screen = new Screen<Seen>()
  const show = (seen: Seen) => screen.show(seen)
  const body = { id: chatId, messages: [question], trigger: 'submit-message' }
  let ended = readAnswer(await sendJson(`${url}/api/chat${reader.form}`, body), reader, show)
  return {
    shows: (words: string) => screen.shows(words),
    async comeBack() {
      await ended
      ended = readAnswer(await fetch(`${url}/api/chat/${chatId}/stream${reader.form}`), reader, show)
    },
    async seen() {
      await ended
      return await screen.until(() => true)
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Shows the message as it grows. Resolves when nothing more comes, for whatever reason. */
export async function readAnswer(
  response: Response,
  { createDecoder }: StreamReader,
  show: (seen: Seen) => void,
): Promise<void> {
  const messages = response.body?.pipeThrough(createDecoder()).pipeThrough(new AssistantMessageAccumulator())
  await messages
    ?.pipeTo(new WritableStream({ write: message => show(seenOf(message)) }))
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
  // While the arguments are on their way they are no JSON yet.
  const input = outputFrom(argsText)
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
