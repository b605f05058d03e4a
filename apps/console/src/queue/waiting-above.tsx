import type { AgentChat } from '@throughline/client/react'
import type { ChatId, Message } from '@throughline/protocol'
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../controls/lazy-part.ts'

// Needed only while an answer is being written.
const WaitingMessages = lazyPart(async () => (await import('./waiting-messages.tsx')).WaitingMessages)

interface Props {
  readonly chatId: ChatId
  readonly chat: AgentChat
  /** Gets what a person takes back out of the queue. */
  readonly draft: { takeBack(message: Message): void; takeBackText(text: string): void }
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

/** An answer that takes longer than this is one behind which somebody may queue messages, also in another tab. */
const longAnswerMs = 2_000

/** Returns whether messages may wait in a chat. Once they may, it stays so: between two answers a chat is ready for a moment. */
function useMayWait({ status, queued }: Pick<AgentChat, 'status' | 'queued'>): boolean {
  const [mayWait, setMayWait] = useState(false)
  const isBusy = status === 'submitted' || status === 'streaming'
  useEffect(() => {
    if (!isBusy) return
    const timer = setTimeout(() => setMayWait(true), longAnswerMs)
    return () => clearTimeout(timer)
  }, [isBusy])
  if (queued.length > 0 && !mayWait) setMayWait(true)
  return mayWait
}
