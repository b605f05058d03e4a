import type { Message, MessageMetadata, Part, ToolPart } from '@throughline/protocol'
import type { Payload } from './make-payloads.ts'

const createdAt = new Date(0).toISOString()

/** Returns messages that have a payload in every place that a page shows: a person's, an answer, and a sub-agent's. */
export function payloadMessages(payload: Payload): readonly Message[] {
  const { number, text, address } = payload
  const answer = `answer-${number}`
  return [
    {
      id: `question-${number}`,
      role: 'user',
      metadata: { createdAt, senderName: text, receiverName: text },
      parts: [
        { type: 'text', text: `Case ${number}: ${text}` },
        { type: 'file', mediaType: 'image/png', url: address, filename: text },
        { type: 'file', mediaType: text, url: address },
      ],
    },
    {
      id: answer,
      role: 'assistant',
      metadata: { ...nameOf(payload), ...endOf(payload) },
      parts: [...partsOf(payload), delegation(payload)],
    },
    {
      id: `sub-${number}`,
      role: 'assistant',
      metadata: {
        ...nameOf(payload),
        ...endOf(payload),
        agent: { kind: 'sub', name: text, displayName: text, depth: 1, path: ['assistant', text] },
        parent: { messageId: answer, toolCallId: delegation(payload).toolCallId },
      },
      parts: [{ type: 'text', text }],
    },
  ]
}

function nameOf({ text }: Payload): MessageMetadata {
  return {
    createdAt,
    senderName: text,
    agent: { kind: 'master', name: 'assistant', displayName: text, depth: 0, path: ['assistant'] },
  }
}

function endOf({ number, text }: Payload): MessageMetadata {
  const ends: readonly MessageMetadata[] = [
    { status: 'finished', finishReason: text },
    { status: 'failed', statusText: text },
    { status: 'stopped', statusText: text },
    { status: 'interrupted', statusText: text },
    { status: 'limit', statusText: text },
    {
      status: 'finished',
      isEmpty: true,
      statusText: text,
      lastToolError: { toolName: text, errorText: text },
    },
  ]
  return ends[number % ends.length] ?? {}
}

function partsOf(payload: Payload): readonly Part[] {
  const { number, text, address } = payload
  return [
    { type: 'reasoning', text, state: 'done' },
    { type: 'text', text, state: 'done' },
    toolPart(payload),
    { type: 'source-url', sourceId: `${number}`, url: address, title: text },
    { type: 'source-document', sourceId: `d${number}`, mediaType: text, title: text, filename: text },
    { type: 'file', mediaType: 'image/svg+xml', url: address, filename: text },
    { type: `data-${text}`, id: text, data: { [text]: address } },
    { type: 'data-step', id: 'step', data: { number: 1, toolCallId: `call-${number}`, status: text } },
    { type: 'text', text: `\n\n${text}`, state: 'done' },
  ]
}

function toolPart({ number, text, address }: Payload): ToolPart {
  const call = { type: 'dynamic-tool', toolName: text, toolCallId: `call-${number}` } as const
  const input = { [text]: text, url: address, html: text, list: [text, address] }
  const states: readonly ToolPart[] = [
    { ...call, state: 'output-available', input, output: { text, screenshot: address, [text]: [text] } },
    { ...call, state: 'output-available', input: text, output: text, title: text },
    { ...call, state: 'output-error', input, errorText: text },
    { ...call, state: 'output-denied', input, approval: { id: text, approved: false, reason: text } },
    { ...call, state: 'input-streaming', rawInput: `{"html": ${JSON.stringify(text).slice(0, -1)}` },
    { ...call, state: 'output-available', input, output: text, preliminary: true },
    { ...call, state: 'approval-requested', input, approval: { id: text, requestReason: text } },
    {
      ...call,
      type: `tool-${text}`,
      state: 'output-available',
      input,
      output: { type: 'content', value: text },
    },
  ]
  return states[number % states.length] ?? { ...call, state: 'input-available' }
}

function delegation({ number, text }: Payload): ToolPart {
  return {
    type: 'tool-delegate',
    toolCallId: `delegate-${number}`,
    state: 'output-available',
    input: { agent: text, task: text },
    output: text,
  }
}
