import type { ChatKey } from '@throughline/protocol'

/**
 * Bells between the nodes that share a store. A bell only wakes: whoever hears it reads the rows, which are the truth. A
 * ring may be lost, and one ring may stand for several, so everybody who listens also looks every two seconds.
 */
export interface Signals {
  /** Tells every node, this one included, that the rows of a chat have changed. Does not wait, and never throws. */
  ring(chat: ChatKey): void
  /** Calls `ring` each time somebody rings for this chat. Returns a function that ends this. */
  onRing(chat: ChatKey, ring: () => void): () => void
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
  const listeners = new Map<string, Set<() => void>>()

  function hear(topic: string): void {
    const rings = listeners.get(topic) ?? new Set()
    // Goes over a copy: a function that starts to listen during the ring is called at the next one.
    for (const ring of [...rings]) if (rings.has(ring)) ring()
  }

  function ring(topic: string): void {
    hear(topic)
    send(topic)
  }

  function listen(topic: string, ring: () => void): () => void {
    const rings = listeners.get(topic) ?? new Set()
    listeners.set(topic, rings)
    // A new function for each call, so that the same function can listen twice.
    const own = () => ring()
    rings.add(own)
    return () => {
      rings.delete(own)
      if (rings.size === 0 && listeners.get(topic) === rings) listeners.delete(topic)
    }
  }

  return {
    hear,
    ring: chat => ring(topicOf(chat)),
    onRing: (chat, onRing) => listen(topicOf(chat), onRing),
    ringNodes: () => ring(nodesTopic),
    onNodes: onRing => listen(nodesTopic, onRing),
  }
}

/** Has no slash, so it is the topic of no chat. */
const nodesTopic = 'nodes'

function topicOf({ ownerId, chatId }: ChatKey): string {
  return `${ownerId}/${chatId}`
}
