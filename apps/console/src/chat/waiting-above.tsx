import type { AgentChat } from '@throughline/client/react'
import type { ChatId, Message } from '@throughline/protocol'
import { Suspense } from 'react'
import { lazyPart } from '../lazy-part.ts'
import type { Draft } from './use-draft.ts'
import { useMayWait } from './use-may-wait.ts'

// Needed only while an answer is being written.
const WaitingMessages = lazyPart(
  async () => (await import('../compose/waiting-messages.tsx')).WaitingMessages,
)

interface Props {
  readonly chatId: ChatId
  readonly chat: AgentChat
  readonly draft: Draft
  /** The message that was put into the queue last, by this page. */
  readonly lastQueued: Message | undefined
}

/** What waits for the end of the answer, above the field. Its code is loaded once something may wait. */
export function WaitingAbove({ chatId, chat, draft, lastQueued }: Props) {
  const mayWait = useMayWait(chat)
  if (!mayWait && lastQueued === undefined) return null
  return (
    <Suspense>
      <WaitingMessages
        chatId={chatId}
        chat={chat}
        lastQueued={lastQueued}
        onTakeBack={draft.takeBack}
        onTakeBackText={draft.takeBackText}
      />
    </Suspense>
  )
}
