import { type ChatId, isChatId, type Message, textOf } from '@throughline/protocol'
import { inTime } from '@throughline/testing/waits/in-time'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { Chat, type ChatOptions } from '../../src/chat/create-chat.ts'

// Test only: a chat, with every snapshot that it had.

export interface RecordedChat extends Disposable {
  readonly store: Chat
  /** The first snapshot, and one for each call of a listener. */
  readonly snapshots: readonly ChatSnapshot[]
  /** Resolves with the first snapshot that fits. That may be the present one. */
  until(isAsExpected: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot>
  /**
   * Resolves when there are so many answers and the server has saved the last one. The log has an answer's end
   * before the answer is saved, and until then the server refuses the next message.
   */
  untilSaved(answers: number): Promise<ChatSnapshot>
  /** Resolves when every change so far is in the snapshot. */
  nextFrame(): Promise<void>
}

/** Opens a chat and records its snapshots, with an animation frame in every turn of the event loop. */
export function recordChat(
  url: string,
  { id = 'chat', ...options }: Partial<Omit<ChatOptions, 'chatId'>> & { readonly id?: string } = {},
): RecordedChat {
  const store = new Chat({
    url,
    chatId: chatIdOf(id),
    onFrame: callback => void setImmediate(callback),
    backoff: { firstMs: 5, maxMs: 50 },
    ...options,
  })
  const snapshots = [store.getSnapshot()]
  store.subscribe(() => snapshots.push(store.getSnapshot()))
  store.open()
  return {
    store,
    snapshots,
    until: isAsExpected => until(store, isAsExpected),
    async untilSaved(answers) {
      const snapshot = await until(store, hasAnswers(answers))
      // To stop an answer that has ended changes nothing. But the response comes only after the answer is saved.
      await store.stop()
      return snapshot
    },
    // Immediates run in the order in which they were requested. So a requested animation frame comes first.
    nextFrame: () => new Promise(resolve => void setImmediate(resolve)),
    [Symbol.dispose]: store.close,
  }
}

/** Resolves with the first snapshot that fits. That may be the present one. */
function until(store: Chat, isAsExpected: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
  const held = new Promise<ChatSnapshot>(resolve => {
    const look = () => {
      const snapshot = store.getSnapshot()
      if (!isAsExpected(snapshot)) return
      unsubscribe()
      resolve(snapshot)
    }
    const unsubscribe = store.subscribe(look)
    look()
  })
  return inTime(`the chat shows ${isAsExpected}`, held, { seen: store.getSnapshot })
}

export const isReady = ({ status }: ChatSnapshot): boolean => status === 'ready'

/** Returns whether the chat has so many answers, and all of them have ended. */
export function hasAnswers(count: number): (snapshot: ChatSnapshot) => boolean {
  return ({ status, messages }) =>
    status === 'ready' && messages.filter(({ role }) => role === 'assistant').length === count
}

export function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(textOf)
}

export function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id)
}

function chatIdOf(text: string): ChatId {
  if (!isChatId(text)) throw new TypeError(`"${text}" is not a chat id.`)
  return text
}
