import type { ChatSnapshot } from '@throughline/client'
import { useAgentChat } from '@throughline/client/vue'
import { effectScope, watch } from 'vue'
import { type Client, chatId, questionText } from '../client.ts'
import { Screen } from '../screen.ts'
import { snapshotReading } from './create-chat.ts'

export const vueChat: Client = async ({ url }) => {
  const screen = new Screen<ChatSnapshot>()
  const scope = effectScope()
  const used = scope.run(() => {
    const agentChat = useAgentChat({ chatId, url })
    watch(agentChat.chat, snapshot => screen.show(snapshot), { flush: 'sync' })
    return agentChat
  })
  if (used === undefined) throw new Error('The scope has ended.')
  await used.send(questionText)
  return {
    ...snapshotReading(screen),
    stop: used.stop,
    approve: used.approve,
    [Symbol.asyncDispose]: async () => scope.stop(),
  }
}
