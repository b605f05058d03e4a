import {
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  isToolUIPart,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { type Asked, type Client, chatId, question } from '../client.ts'
import { fetchBrokenAs } from '../fetch-broken-as.ts'
import { Screen } from '../screen.ts'
import { seenIn } from '../seen-in-messages.ts'

/** The AI SDK without a framework: its transport and its reader. */
export const aiReaders: Client = async asked => {
  const transport = stockTransport(asked)
  const screen = new Screen<UIMessage>()
  const send = (messages: UIMessage[], messageId?: string) =>
    transport.sendMessages({
      chatId,
      messages,
      trigger: 'submit-message',
      messageId,
      abortSignal: undefined,
    })
  let ended = read(await send([question]), screen)
  return {
    shows: words => screen.shows(words),
    async approve(approvalId) {
      await ended
      const answer = approved(await screen.until(() => true), approvalId)
      ended = read(await send([question, answer], answer.id), screen, answer)
    },
    async comeBack() {
      await ended
      const stream = await transport.reconnectToStream({ chatId })
      if (stream === null) throw new Error('There is nothing to resume.')
      ended = read(stream, screen)
    },
    async seen() {
      const failure = await ended
      return seenIn([await screen.until(() => true)], failure)
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Where stock clients connect. */
export function stockTransport({ url, subAgents }: Asked, options: StockOptions = {}) {
  const form = subAgents === undefined ? '' : `?subAgents=${subAgents}`
  return new DefaultChatTransport<UIMessage>({ ...options, api: `${url}/api/chat${form}` })
}

type StockOptions = Pick<HttpChatTransportInitOptions<UIMessage>, 'fetch'>

/** As Chromium says it. Stock chats take only a browser's words for a lost connection, and go on from what they have. */
export const inBrowser: StockOptions = { fetch: fetchBrokenAs(() => new TypeError('network error')) }

/** The message as a stock chat sends it back when its person has allowed a call. */
function approved(message: UIMessage, approvalId: string): UIMessage {
  const parts = message.parts.map((part): UIMessage['parts'][number] =>
    isToolUIPart(part) && part.state === 'approval-requested' && part.approval.id === approvalId
      ? { ...part, state: 'approval-responded', approval: { id: approvalId, approved: true } }
      : part,
  )
  return { ...message, parts }
}

/** Shows the message as it grows. Resolves at its end with what went wrong, if anything did. */
async function read(
  stream: ReadableStream<UIMessageChunk>,
  screen: Screen<UIMessage>,
  message?: UIMessage,
): Promise<string | undefined> {
  let failure: string | undefined
  const onError = (error: unknown) => {
    failure = error instanceof Error ? error.message : String(error)
  }
  const options = message === undefined ? { stream, onError } : { stream, onError, message }
  for await (const shown of readUIMessageStream(options)) screen.show(shown)
  return failure
}
