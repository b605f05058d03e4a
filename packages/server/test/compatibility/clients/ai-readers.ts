import {
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
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
  let ended = read(
    await transport.sendMessages({
      chatId,
      messages: [question],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
    }),
    screen,
  )
  return {
    shows: words => screen.shows(words),
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

/** Shows the message as it grows. Resolves at its end with what went wrong, if anything did. */
async function read(
  stream: ReadableStream<UIMessageChunk>,
  screen: Screen<UIMessage>,
): Promise<string | undefined> {
  let failure: string | undefined
  const onError = (error: unknown) => {
    failure = error instanceof Error ? error.message : String(error)
  }
  for await (const message of readUIMessageStream({ stream, onError })) screen.show(message)
  return failure
}
