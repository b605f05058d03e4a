import { useAgentChat } from '@throughline/client/vue'
import { effectScope, watch } from 'vue'
import { chatId } from '../../client.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { ownActions, ownState } from './own-chat.ts'

export const vueChatTalker: Talker = { open, openAgain: open }

async function open({ url }: Place): Promise<Talk> {
  const screen = new Screen<TalkState>()
  const scope = effectScope()
  const used = scope.run(() => {
    const agentChat = useAgentChat({ chatId, url })
    watch(agentChat.chat, snapshot => screen.show(ownState(snapshot)), { flush: 'sync' })
    return agentChat
  })
  if (used === undefined) throw new Error('The scope has ended.')
  return {
    ...ownActions(used, () => used.chat.value.messages),
    screen,
    [Symbol.asyncDispose]: async () => scope.stop(),
  }
}
