import { type End, failed, finished, type Seen, stopped } from '../seen.ts'

/** A conversation as it is shown in the end, told the same way for every client. */
export interface Transcript {
  readonly messages: readonly Message[]
  /** How the last answer ended. */
  readonly end: End
}

export type Message = Question | Answer

interface Question {
  readonly user: string
}

export interface Answer {
  readonly answer: readonly Item[]
  /** What sub-agents said and did, by their names. */
  readonly subAgents: Readonly<Record<string, readonly Item[]>>
}

export type Item = { readonly text: string } | { readonly reasoning: string } | Call

export interface Call {
  readonly tool: string
  readonly input: unknown
  readonly state: 'open' | 'waiting' | 'done' | 'failed' | 'denied'
  /** The result, or why there is none. */
  readonly output: unknown
}

export { type End, failed, finished, stopped }

/** One question and all that there is to see of its answer. */
export function oneTurn(user: string, { answer, subAgents, end }: Seen): Transcript {
  return { messages: [{ user }, { answer, subAgents }], end }
}

/** Questions and answers of one text each, all of them finished. */
export function textTurns(...texts: readonly string[]): Transcript {
  const messages = texts.map((text, index) =>
    index % 2 === 0 ? { user: text } : { answer: [{ text }], subAgents: {} },
  )
  return { messages, end: finished }
}

/** An answer by its items, each with the sub-agent that it is from; without one it is the master's. */
export function answerOf(
  items: readonly { readonly name: string | undefined; readonly item: Item }[],
): Answer {
  const itemsOf = (name: string | undefined) =>
    items.filter(each => each.name === name).map(({ item }) => item)
  const names = new Set(items.flatMap(({ name }) => (name === undefined ? [] : [name])))
  const subAgents = Object.fromEntries([...names].map(name => [name, itemsOf(name)]))
  return { answer: itemsOf(undefined), subAgents }
}

/** For clients that have several messages for one answer: everything between two questions is one answer. */
export function joinedAnswers(messages: readonly Message[]): readonly Message[] {
  const told: Message[] = []
  for (const message of messages) {
    const last = told.at(-1)
    if (last === undefined || 'user' in last || 'user' in message) told.push(message)
    else told.splice(-1, 1, joined(last, message))
  }
  return told
}

function joined(first: Answer, then: Answer): Answer {
  const names = [...new Set([...Object.keys(first.subAgents), ...Object.keys(then.subAgents)])]
  const itemsOf = (name: string) => [...(first.subAgents[name] ?? []), ...(then.subAgents[name] ?? [])]
  return {
    answer: [...first.answer, ...then.answer],
    subAgents: Object.fromEntries(names.map(name => [name, itemsOf(name)])),
  }
}
