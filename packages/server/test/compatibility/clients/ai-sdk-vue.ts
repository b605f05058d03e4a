import { useChat } from '@ai-sdk/vue'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { effectScope, watch } from 'vue'
import { type Client, chatId, questionText } from '../client.ts'
import { Screen } from '../screen.ts'
import { seenIn } from '../seen-in-messages.ts'
import { inBrowser, stockTransport } from './ai-readers.ts'

export const aiSdkVue: Client = async asked => {
  const screen = new Screen<readonly unknown[]>()
  const scope = effectScope()
  const chat = scope.run(() => {
    const used = useChat({
      id: chatId,
      transport: stockTransport(asked, inBrowser),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    watch(used.messages, messages => screen.show(messages), { flush: 'sync' })
    return used
  })
  if (chat === undefined) throw new Error('The scope has ended.')
  let answered = chat.sendMessage({ text: questionText })
  return {
    shows: words => screen.shows(words),
    async approve(id) {
      await answered
      await screen.shows(id)
      await chat.addToolApprovalResponse({ id, approved: true })
      await screen.shows('"status":"finished"')
    },
    async comeBack() {
      await answered
      answered = chat.resumeStream()
    },
    async seen() {
      await answered
      return seenIn(chat.messages.value, chat.error.value?.message)
    },
    [Symbol.asyncDispose]: async () => scope.stop(),
  }
}
