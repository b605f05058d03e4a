import { useChat } from '@ai-sdk/vue'
import type { UIMessage } from 'ai'
import { effectScope, watchEffect } from 'vue'
import { chatId } from '../../client.ts'
import { inBrowser, stockTransport } from '../../clients/ai-readers.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { savedMessages } from './saved-messages.ts'
import { stockActions, stockState } from './stock-chat.ts'

export const aiSdkVueTalker: Talker = {
  open: async place => open(place, []).talk,
  async openAgain(place) {
    const { talk, resume } = open(place, await savedMessages<UIMessage>(place.url))
    resume()
    return talk
  },
}

function open({ url }: Place, messages: UIMessage[]): { readonly talk: Talk; readonly resume: () => void } {
  const screen = new Screen<TalkState>()
  const scope = effectScope()
  const chat = scope.run(() => {
    const used = useChat({ id: chatId, messages, transport: stockTransport({ url }, inBrowser) })
    watchEffect(() => screen.show(stockState(used.messages.value, used.status.value, used.error.value)), {
      flush: 'sync',
    })
    return used
  })
  if (chat === undefined) throw new Error('The scope has ended.')
  const talk: Talk = {
    ...stockActions(chat, () => chat.messages.value),
    screen,
    async [Symbol.asyncDispose]() {
      await chat.stop()
      scope.stop()
    },
  }
  return { talk, resume: () => void chat.resumeStream() }
}
