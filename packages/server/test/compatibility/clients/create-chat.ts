import { type ChatSnapshot, createChat } from '@throughline/client'
import { type Client, chatId, questionText } from '../client.ts'
import { Screen } from '../screen.ts'
import { seenIn } from '../seen-in-messages.ts'

/** Our chat client without a framework. */
export const plainChat: Client = async ({ url }) => {
  const screen = new Screen<ChatSnapshot>()
  const chat = createChat({ chatId, url })
  chat.subscribe(() => screen.show(chat.getSnapshot()))
  chat.open()
  await chat.send(questionText)
  return {
    ...snapshotReading(screen),
    stop: chat.stop,
    approve: chat.approve,
    [Symbol.asyncDispose]: async () => chat.close(),
  }
}

/** What our chat client shows, on whatever page. */
export function snapshotReading(screen: Screen<ChatSnapshot>) {
  return {
    shows: (words: string) => screen.shows(words),
    async seen() {
      const { messages, error } = await screen.until(hasAnswer)
      return seenIn(messages, error?.message)
    },
  }
}

function hasAnswer({ status, messages }: ChatSnapshot): boolean {
  return status === 'ready' && messages.some(({ role }) => role === 'assistant')
}
