/** What a message asks the agent `script` to do. */
export interface Order {
  readonly words: number
  /** Characters that each word has on top of its number. */
  readonly padding: number
  /** Between two words; 0 for one turn of the event loop. */
  readonly pauseMs: number
  readonly hasTool: boolean
  /** How the agent `master` ends its process, in the middle of the answer, again and again. Default: it does not. */
  readonly dies?: Dying
}

export interface Dying {
  readonly how: 'kill' | 'abort' | 'exit' | 'throw'
  /** How long the tool works before it does. */
  readonly afterMs: number
  /** Whether a sub-agent has the tool. */
  readonly isInHelper: boolean
}

/** Returns the text of a message that gives this order. */
export function textOfOrder(order: Order): string {
  return JSON.stringify(order)
}

/** Returns the order in the text of a message. */
export function orderIn(text: string): Order {
  const { words, padding, pauseMs, hasTool, dies }: Partial<Order> = JSON.parse(text)
  const order = {
    words: words ?? 1,
    padding: padding ?? 0,
    pauseMs: pauseMs ?? 0,
    hasTool: hasTool ?? false,
  }
  return dies === undefined ? order : { ...order, dies }
}

/** Returns the words that the agent says. Each has its number, so that none can be missing or twice unnoticed. */
export function wordsOf({ words, padding }: Order): readonly string[] {
  return Array.from({ length: words }, (_, index) => `${index + 1}${'.'.repeat(padding)} `)
}
