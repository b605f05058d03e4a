import type { AbstractChat, ChatStatus, UIMessage } from 'ai'
import { readUiMessages } from '../../readers/ui-messages.ts'
import type { Actions } from '../client-in-use.ts'
import type { TalkState } from '../talk.ts'

type StockChat = Pick<AbstractChat<UIMessage>, 'sendMessage' | 'regenerate' | 'stop'>

/** What a person does in a stock chat, whichever framework it is for. */
export function stockActions(
  chat: StockChat,
  messages: () => readonly UIMessage[],
): Pick<Actions, 'send' | 'edit' | 'regenerate' | 'stop'> {
  return {
    send: text => void chat.sendMessage({ text }),
    edit(number, text) {
      const question = messages().filter(({ role }) => role === 'user')[number]
      if (question === undefined) throw new Error(`There is no question ${number}.`)
      void chat.sendMessage({ text, messageId: question.id })
    },
    regenerate: () => void chat.regenerate(),
    stop: () => void chat.stop(),
  }
}

export function stockState(
  messages: readonly UIMessage[],
  status: ChatStatus,
  error: Error | undefined,
): TalkState {
  const isBusy = status === 'submitted' || status === 'streaming'
  return { transcript: readUiMessages({ messages, isBusy, failure: error?.message }), isBusy }
}
