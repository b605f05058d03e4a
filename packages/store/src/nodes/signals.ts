import { type ChatId, type ChatKey, isChatId, type OwnerId } from '@throughline/protocol'

/**
 * Bells between the nodes that share a store. A bell only wakes: whoever hears it reads the rows, which are the truth. A
 * ring may be lost, and one ring may stand for several, so everybody who listens also looks every two seconds.
 */
export interface Signals {
  /** Tells every node, this one included, that the rows of a chat have changed. Does not wait, and never throws. */
  ring(chat: ChatKey): void
  /** Calls `ring` each time somebody rings for this chat. Returns a function that ends this. */
  onRing(chat: ChatKey, ring: () => void): () => void
  /** The same for all chats of an owner. `ring` gets the chat that somebody rings for. */
  onOwnerRing(ownerId: OwnerId, ring: (chatId: ChatId) => void): () => void
  /** Tells every node that one of them leaves. Does not wait, and never throws. */
  ringNodes(): void
  /** Calls `ring` each time that a node leaves. Returns a function that ends this. */
  onNodes(ring: () => void): () => void
}

/** Bells that can also be rung from outside, by the topic that was sent. */
export interface SignalBoard extends Signals {
  /** Calls everybody who listens to this topic in this process. */
  hear(topic: string): void
}

/**
 * Returns the bells of one process. `send` passes a topic on to the other nodes, which call `hear` with it. Without it
 * there is one process, and only that one hears its rings.
 */
export function createSignals(send: (topic: string) => void = () => undefined): SignalBoard {
  const byTopic = createListeners()
  const byOwner = createListeners()

  function hear(topic: string): void {
    byTopic.call(topic, topic)
    // No id contains a slash.
    const [ownerId = ''] = topic.split('/', 1)
    byOwner.call(ownerId, topic)
  }

  function ring(topic: string): void {
    hear(topic)
    send(topic)
  }

  return {
    hear,
    ring: chat => ring(topicOf(chat)),
    onRing: (chat, onRing) => byTopic.add(topicOf(chat), () => onRing()),
    ringNodes: () => ring(nodesTopic),
    onNodes: onRing => byTopic.add(nodesTopic, () => onRing()),
    onOwnerRing: (ownerId, onRing) =>
      byOwner.add(ownerId, topic => {
        const chatId = topic.slice(ownerId.length + 1)
        if (isChatId(chatId)) onRing(chatId)
      }),
  }
}

type Listener = (topic: string) => void

/** Keeps listeners by a name. `call` calls those of one name. */
function createListeners() {
  const byName = new Map<string, Set<Listener>>()
  return {
    call(name: string, topic: string): void {
      const listeners = byName.get(name) ?? new Set()
      // Goes over a copy: a function that starts to listen during the ring is called at the next one.
      for (const listener of [...listeners]) if (listeners.has(listener)) listener(topic)
    },
    /** Each listener is a new function, so that the same caller can listen twice. Returns a function that ends this. */
    add(name: string, listener: Listener): () => void {
      const listeners = byName.get(name) ?? new Set()
      byName.set(name, listeners)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && byName.get(name) === listeners) byName.delete(name)
      }
    },
  }
}

/** Has no slash, so it is the topic of no chat. */
const nodesTopic = 'nodes'

function topicOf({ ownerId, chatId }: ChatKey): string {
  return `${ownerId}/${chatId}`
}
