import type { Chat, ChatSnapshot } from '@throughline/client'
import { savedInUiMessages } from '../../readers/ui-messages.ts'
import type { Actions } from '../client-in-use.ts'
import type { TalkState } from '../talk.ts'

type OwnChat = Pick<Chat, 'send' | 'edit' | 'regenerate' | 'stop'>

/** What a person does in our own chat client, whichever framework it is for. */
export function ownActions(
  chat: OwnChat,
  messages: () => ChatSnapshot['messages'],
): Pick<Actions, 'send' | 'edit' | 'regenerate' | 'stop'> {
  return {
    send: text => void chat.send(text),
    edit(number, text) {
      const question = messages().filter(({ role }) => role === 'user')[number]
      if (question === undefined) throw new Error(`There is no question ${number}.`)
      void chat.edit(question.id, text)
    },
    regenerate: () => void chat.regenerate(),
    stop: () => void chat.stop(),
  }
}

export function ownState({ messages, status, error }: ChatSnapshot): TalkState {
  if (error !== undefined) throw error
  return { transcript: savedInUiMessages(messages), isBusy: status !== 'ready' }
}
