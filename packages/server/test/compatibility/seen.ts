/** What a client shows of an answer in the end, told the same way for every client. */
export interface Seen {
  readonly answer: readonly Item[]
  /** What sub-agents said and did, by their names. */
  readonly subAgents: Readonly<Record<string, readonly Item[]>>
  readonly end: End
}

export type Item = Text | { readonly reasoning: string } | Tool

export interface Text {
  readonly text: string
}

export interface Tool {
  readonly tool: string
  readonly input: unknown
  readonly state: 'open' | 'done' | 'failed'
  /** The result, or why there is none. */
  readonly output: unknown
}

export type End =
  | { readonly status: 'finished' | 'stopped' }
  | { readonly status: 'failed'; readonly words: string }
  /** The client says that the rest did not arrive. */
  | { readonly status: 'broken off' }

export const finished: End = { status: 'finished' }
export const stopped: End = { status: 'stopped' }

export function failed(words: string): End {
  return { status: 'failed', words }
}

/** An item, and the sub-agent that it is from; without one it is the answer's. */
export interface FromAgent {
  readonly name: string | undefined
  readonly item: Item
}

/** Items told apart by who they are from. */
export function toldApart(items: readonly FromAgent[]): Omit<Seen, 'end'> {
  const itemsOf = (name: string | undefined) =>
    items.filter(each => each.name === name).map(({ item }) => item)
  const names = new Set(items.flatMap(({ name }) => (name === undefined ? [] : [name])))
  const subAgents = Object.fromEntries([...names].map(name => [name, itemsOf(name)]))
  return { answer: itemsOf(undefined), subAgents }
}

/** For forms that tell results as text: what is JSON was no text before. */
export function outputFrom(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
