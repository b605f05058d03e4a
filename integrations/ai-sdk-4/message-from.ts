import type { Message } from '@ai-sdk/react'

/** A message as the server keeps it: in the form of AI SDK 5 and later. */
export interface LaterMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: unknown
  readonly parts: readonly LaterPart[]
}

interface LaterPart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
}

type Part = NonNullable<Message['parts']>[number]

/** The message in the form of AI SDK 4, as an application that keeps to version 4 has to make it. */
export function messageFrom({ id, role, metadata, parts }: LaterMessage): Message {
  return {
    id,
    role,
    content: parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join(''),
    parts: parts.flatMap(partsFrom),
    annotations: [{ throughline: JSON.parse(JSON.stringify(metadata ?? {})) }],
  }
}

function partsFrom(part: LaterPart): readonly Part[] {
  const { type, text = '', toolCallId = '', input, output, errorText } = part
  if (type === 'text') return [{ type, text }]
  if (type === 'reasoning') return [{ type, reasoning: text, details: [{ type: 'text', text }] }]
  if (!type.startsWith('tool-')) return []
  const call = { toolCallId, toolName: type.slice('tool-'.length), args: input }
  const result = output ?? errorText
  return [
    {
      type: 'tool-invocation',
      toolInvocation:
        result === undefined ? { ...call, state: 'call' } : { ...call, state: 'result', result },
    },
  ]
}
