import { logName } from '@throughline/log'
import { type ChatKey, isChatId, isMessageId } from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import { appendAtEnd } from '../log/append-at-end.ts'
import { idOf } from '../log/id-of.ts'
import { textDraft } from '../log/log-drafts.ts'
import { saveHistory } from './save-history.ts'
import { ada, at, bob, startOf, testChat, testRun } from './store-rows.ts'

export const historyChat: ChatKey = { ownerId: ada, chatId: idOf(isChatId, 'history') }
export const channelChat: ChatKey = { ownerId: ada, chatId: idOf(isChatId, 'channel') }
export const runningChat: ChatKey = { ownerId: bob, chatId: idOf(isChatId, 'running') }

/** How much there is of what a store can hold. */
export interface FillOptions {
  /** The number of messages, and of entries, of the chat `history`. */
  readonly count: number
}

/**
 * Fills a store with some of everything: a long chat with a log that was trimmed, a chat in a channel with something in
 * its outbox, a chat whose run goes on and waits for an approval, a file, a shared copy, a definition, and a removed
 * chat that left something behind. Returns the id of the file, which is in the chat `history`.
 */
export async function fillStore(store: Store, { count }: FillOptions): Promise<string> {
  await saveHistory(store, { ...historyChat, count })
  const file = await store.files.keep(historyChat, {
    mediaType: 'image/png',
    bytes: new Uint8Array(700_000).map((_, index) => index % 251),
    at: at(1),
  })
  await store.shares.create(historyChat, {
    key: 'key',
    title: 'A shared “copy” 🎉',
    createdAt: at(1),
    messageCount: 1,
    digest: 'digest',
    messages: '[{"id":"message_1"}]',
    fileIds: [file],
  })
  await store.log.trim(logName(historyChat), Math.floor(count / 3))
  await fillChannel(store)
  await fillRunning(store)
  await store.definitions.create(ada, {
    id: 'definition',
    name: 'reader',
    enabled: true,
    fields: { instructions: 'Read “everything”. 📚' },
    updatedAt: at(1),
  })
  return file
}

async function fillChannel(store: Store): Promise<void> {
  // A removed chat of a channel leaves its messages behind, so that they are not taken again.
  const tie = { channel: 'telegram', target: '42' }
  await store.channelChats.tie(ada, testChat({ id: 'channel' }), tie)
  const earlier = testRun('earlier', { chatId: 'channel', userMessageId: 'removed' })
  await store.runs.claim(earlier, startOf(earlier))
  await store.chats.remove(channelChat, new Date().toISOString())
  await store.channelChats.tie(ada, testChat({ id: 'channel' }), tie)
  await store.outbox.add(channelChat, { runId: 'run', index: 0, body: '{"text":"Hello"}' })
}

async function fillRunning(store: Store): Promise<void> {
  const run = testRun('running', { ...runningChat, userMessageId: 'question' })
  await store.runs.claim(run, startOf(run, { title: 'Null \0 and ünïcödé 🎉' }))
  await store.approvals.open({
    ...runningChat,
    id: 'approval',
    runId: run.id,
    messageId: idOf(isMessageId, 'answer'),
    toolCallId: 'call',
    toolName: 'send_mail',
    inputHash: 'hash',
    createdAt: at(1),
  })
  const lease = await store.log.acquire(logName(runningChat))
  await appendAtEnd(store.log, lease, [textDraft('One \u2028 two'), textDraft('"quoted" \\u0000 🎉')])
  await appendAtEnd(store.log, lease, [textDraft('three')])
}
