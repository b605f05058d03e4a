import type { KeptMessage, Outbox } from '../../src/chat/outbox.ts'

// Test only: an outbox that outlives the chats of a test, as the storage of a browser outlives its pages.

export function memoryOutbox(): Outbox & { readonly ids: () => readonly string[] } {
  let kept: readonly KeptMessage[] = []
  return {
    load: () => kept,
    keep(added) {
      kept = [...kept, added]
    },
    drop(messageId) {
      kept = kept.filter(({ message }) => message.id !== messageId)
    },
    ids: () => kept.map(({ message }) => message.id),
  }
}
