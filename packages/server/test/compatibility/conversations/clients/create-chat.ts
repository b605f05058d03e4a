import { createChat } from '@throughline/client'
import { chatId } from '../../client.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { ownActions, ownState } from './own-chat.ts'

/** Our chat client without a framework. It loads by itself what there is. */
export const plainChatTalker: Talker = { open, openAgain: open }

async function open({ url }: Place): Promise<Talk> {
  const screen = new Screen<TalkState>()
  const chat = createChat({ chatId, url })
  chat.subscribe(() => screen.show(ownState(chat.getSnapshot())))
  chat.open()
  return {
    ...ownActions(chat, () => chat.messages),
    screen,
    [Symbol.asyncDispose]: async () => chat.close(),
  }
}
