import {
  type Chunk,
  emptyChat,
  fold,
  isMessageId,
  isRunId,
  type Message,
  messagesOf,
} from '@throughline/protocol'
import { readUIMessageStream, type UIMessage } from 'ai'

export interface StockReading {
  readonly message: UIMessage | undefined
  /** What the stock reader reported: an error chunk, or that it could not read the stream. */
  readonly errors: readonly unknown[]
}

/** Reads the chunks of one message as a stock client does. */
export async function readAsStock(chunks: readonly Chunk[]): Promise<StockReading> {
  const errors: unknown[] = []
  // The stock reader returns a message only with its next visible change. It also modifies the chunks it is given.
  const shown: Chunk = { type: 'message-metadata', messageMetadata: {} }
  const stream = streamOf(fromWire([...chunks, shown]))
  let message: UIMessage | undefined
  for await (const each of readUIMessageStream({ stream, onError: error => errors.push(error) })) {
    message = each
  }
  return { message, errors }
}

/** Reads the chunks of one message with our own fold. */
export function readAsFold(chunks: readonly Chunk[], id = 'answer'): Message {
  const runId = 'run'
  if (!isRunId(runId) || !isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  const entries = fromWire(chunks).map((chunk, index) => ({ seq: index + 1, runId, messageId: id, chunk }))
  const [message] = messagesOf(entries.reduce(fold, emptyChat()))
  if (message === undefined) throw new TypeError('These chunks bring no message.')
  return message
}

/** Returns a copy that went through JSON, as a reader gets it: values that JSON cannot hold are gone. */
export function fromWire<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}

function streamOf(chunks: readonly Chunk[]): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}
