import fc from 'fast-check'
import type { Message } from '../../src/message/message.ts'

export type Outline = Omit<Message, 'parts'>

/** A message, and beside it what it follows or whom it works for. The code under test has to find this out. */
export interface Node {
  readonly message: Outline
  /** The id of the message before it on its branch; empty for none. Not used for the message of a sub-agent. */
  readonly follows: string
  /** Only for the message of a sub-agent: the message that called it. */
  readonly worksFor: string | undefined
}

type Act =
  | { readonly type: 'send'; readonly after: number | undefined }
  | { readonly type: 'another-answer' | 'edit' | 'delegate'; readonly to: number }

const place = fc.nat({ max: 200 })

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ type: fc.constant('send' as const), after: fc.option(place, { nil: undefined }) }),
  fc.record({ type: fc.constantFrom('another-answer' as const, 'edit', 'delegate'), to: place }),
)

/** Random chats. People continue from any message, edit their messages, and ask for other answers. */
export const chatTree: fc.Arbitrary<readonly Node[]> = fc
  .array(act, { maxLength: 14, size: 'max' })
  .map(acts => acts.reduce<readonly Node[]>(nodesAfter, []))

export function messagesOf(nodes: readonly Node[]): readonly Outline[] {
  return nodes.map(({ message }) => message)
}

/** All messages but those of sub-agents. */
export function speakers(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter(({ worksFor }) => worksFor === undefined)
}

function nodesAfter(nodes: readonly Node[], does: Act): readonly Node[] {
  const all = speakers(nodes)
  const questions = all.filter(({ message }) => message.role === 'user')
  switch (does.type) {
    case 'send': {
      const after = does.after === undefined ? last(nodes) : pick(['', ...idsOf(all)], does.after)
      return withQuestion(nodes, after ?? '')
    }
    case 'edit': {
      const edited = pick(questions, does.to)
      return edited === undefined ? nodes : withQuestion(nodes, edited.follows)
    }
    case 'another-answer': {
      const answered = pick(idsOf(questions), does.to)
      return answered === undefined ? nodes : withAnswer(nodes, answered, { previousMessageId: answered })
    }
    case 'delegate': {
      const master = pick(
        nodes.filter(({ message }) => message.role === 'assistant'),
        does.to,
      )
      return master === undefined ? nodes : [...nodes, childOf(master, `s${nodes.length}`)]
    }
  }
}

function withQuestion(nodes: readonly Node[], follows: string): readonly Node[] {
  const id = `q${nodes.length}`
  // As the server writes it: the field is only set when a message does not follow the one before it.
  const metadata = follows === last(nodes) ? {} : { metadata: { previousMessageId: follows } }
  const message: Outline = { id, role: 'user', ...metadata }
  return withAnswer([...nodes, { message, follows, worksFor: undefined }], id)
}

function withAnswer(
  nodes: readonly Node[],
  follows: string,
  metadata?: Outline['metadata'],
): readonly Node[] {
  const message: Outline = { id: `a${nodes.length}`, role: 'assistant', ...(metadata && { metadata }) }
  return [...nodes, { message, follows, worksFor: undefined }]
}

function childOf(master: Node, id: string): Node {
  const messageId = master.message.id
  const agent = { kind: 'sub' as const, name: 'helper', displayName: 'Helper', depth: 1, path: ['helper'] }
  const metadata = { agent, parent: { messageId, toolCallId: 'call' } }
  return { message: { id, role: 'assistant', metadata }, follows: '', worksFor: messageId }
}

function last(nodes: readonly Node[]): string {
  return speakers(nodes).at(-1)?.message.id ?? ''
}

function idsOf(nodes: readonly Node[]): readonly string[] {
  return nodes.map(({ message }) => message.id)
}

function pick<Each>(from: readonly Each[], place: number): Each | undefined {
  return from[place % Math.max(1, from.length)]
}
