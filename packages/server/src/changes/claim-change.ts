import { logName } from '@throughline/log'
import { type ChatKey, createId, isMessageId, isRunId } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'

/** Whether a change may begin. `busy`: the chat has a run. `no-chat`: there is no such chat. */
export type ChangeClaim =
  | { readonly type: 'claimed'; readonly run: Run }
  | { readonly type: 'busy'; readonly activeRun: Run | undefined }
  | { readonly type: 'no-chat' }

/**
 * Claims a chat for a change, as a run without an answer. While this run goes on, nobody else can write to the chat.
 */
export async function claimChange(
  { store, now }: { readonly store: Pick<Store, 'log' | 'runs' | 'chats'>; readonly now: () => Date },
  chat: ChatKey,
): Promise<ChangeClaim> {
  const record = await store.chats.get(chat)
  if (record === undefined) return { type: 'no-chat' }
  const { seq: afterSeq } = await store.log.open(logName(chat))
  // The change has no message of its own, but every run needs two ids that no other run has.
  const id = createId(isMessageId, 'change')
  const run: Run = {
    id: createId(isRunId, 'run'),
    ownerId: chat.ownerId,
    chatId: chat.chatId,
    agent: '',
    userMessageId: id,
    answerId: id,
    afterSeq,
    startedAt: now().toISOString(),
    status: 'running',
    kind: 'change',
  }
  if (await store.runs.claim(run, { chat: record, userMessage: undefined })) return { type: 'claimed', run }
  return { type: 'busy', activeRun: await store.runs.active(chat) }
}
