import type { Chunk } from '../src/entries/chunk.ts'
import type { Call, Choice, Stream } from './stream-state.ts'

// Test only: the tool calls of a random valid stream, see chunk-arbitrary.ts.

export const toolKinds = [
  'tool-input-start',
  'tool-input-delta',
  'tool-input-available',
  'tool-input-error',
  'tool-approval-request',
  'tool-approval-response',
  'tool-output-preliminary',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
] as const

export const toolWriters: Record<(typeof toolKinds)[number], (stream: Stream, move: Choice) => Chunk[]> = {
  'tool-input-start': (stream, move) => {
    const call = newCall(stream, move, 'streaming')
    const isText = move.pick === 5
    if (isText) call.unsent = move.text
    return [
      {
        type: 'tool-input-start',
        ...named(call),
        ...facts(move),
        ...move.provider,
        ...(isText ? { inputEncoding: 'text' as const } : {}),
      },
    ]
  },
  'tool-input-delta': (stream, move) =>
    choose(inStep(stream), move, ['streaming']).map(call => {
      const inputTextDelta = call.unsent.slice(0, move.pick * 2)
      call.unsent = call.unsent.slice(inputTextDelta.length)
      return { type: 'tool-input-delta', toolCallId: call.id, inputTextDelta }
    }),
  'tool-input-available': (stream, move) =>
    begun(stream, move, 'called').map(call => ({
      type: 'tool-input-available',
      ...named(call),
      input: call.input,
      ...facts(move),
      ...move.provider,
    })),
  'tool-input-error': (stream, move) =>
    begun(stream, move, 'ended').map(call => ({
      type: 'tool-input-error',
      ...named(call),
      // The AI SDK marks every call whose input it cannot read as dynamic, however the call began.
      dynamic: move.pick > 2,
      input: move.json,
      errorText: move.text,
      ...facts(move),
      ...move.provider,
    })),
  'tool-approval-request': (stream, move) =>
    choose(newest(stream), move, ['called'], 'asked').map(call => ({
      type: 'tool-approval-request',
      toolCallId: call.id,
      approvalId: approvalIdOf(call),
      ...(move.flag ? { reason: move.text, approvalDescriptor: move.json, inputSchemaInput: move.json } : {}),
      ...(move.pick > 2 ? { isAutomatic: move.flag, signature: move.text } : {}),
    })),
  'tool-approval-response': (stream, move) =>
    choose(newest(stream), move, ['asked'], move.flag ? 'allowed' : 'refused').map(call => ({
      type: 'tool-approval-response',
      approvalId: approvalIdOf(call),
      approved: move.flag,
      ...(move.pick > 2 ? { reason: move.text, providerExecuted: move.flag } : {}),
      ...move.provider,
    })),
  'tool-output-preliminary': (stream, move) =>
    choose(newest(stream), move, ['called', 'allowed', 'running'], 'running').map(call => ({
      ...output(call, move),
      preliminary: true,
    })),
  'tool-output-available': (stream, move) =>
    choose(newest(stream), move, ['called', 'allowed', 'running'], 'ended').map(call => output(call, move)),
  'tool-output-error': (stream, move) =>
    choose(newest(stream), move, ['streaming', 'called', 'asked', 'allowed', 'running'], 'ended').map(
      call => ({
        type: 'tool-output-error',
        toolCallId: call.id,
        errorText: move.text,
        ...(move.flag ? { toolMetadata: { by: move.id }, providerExecuted: true } : {}),
        ...move.provider,
      }),
    ),
  'tool-output-denied': (stream, move) =>
    choose(newest(stream), move, ['called', 'refused'], 'ended').map(call => ({
      type: 'tool-output-denied',
      toolCallId: call.id,
    })),
}

// Some models restart their call ids at every step, so an id can be used again in a later step.
function newCall(stream: Stream, move: Choice, state: Call['state']): Call {
  const own = `call-${stream.step}-${stream.calls.length}`
  const reused = stream.calls.map(({ id }) => id).filter(id => !inStep(stream).some(call => call.id === id))
  const id = (move.flag ? reused[move.pick] : undefined) ?? own
  const call: Call = {
    id,
    toolName: `tool_${move.id}`,
    isDynamic: move.pick % 3 === 0,
    step: stream.step,
    input: move.json,
    unsent: JSON.stringify(move.json),
    state,
  }
  stream.calls.push(call)
  return call
}

// A call's input may come at once or end what was streaming.
function begun(stream: Stream, move: Choice, state: Call['state']): Call[] {
  const streamed = choose(inStep(stream), move, ['streaming'], state)
  return streamed.length > 0 ? streamed : [newCall(stream, move, state)]
}

function choose(calls: readonly Call[], move: Choice, from: Call['state'][], to?: Call['state']): Call[] {
  const able = calls.filter(call => from.includes(call.state))
  const chosen = able.slice(move.pick % able.length).slice(0, 1)
  for (const call of chosen) if (to !== undefined) call.state = to
  return chosen
}

function inStep({ calls, step }: Stream): Call[] {
  return calls.filter(call => call.step === step)
}

function newest({ calls }: Stream): Call[] {
  return calls.filter(call => calls.findLast(({ id }) => id === call.id) === call)
}

function named(call: Call): { toolCallId: string; toolName: string; dynamic?: boolean } {
  const name = { toolCallId: call.id, toolName: call.toolName }
  return call.isDynamic ? { ...name, dynamic: true } : name
}

function facts(move: Choice): { title?: string; toolMetadata?: { by: string }; providerExecuted?: boolean } {
  return move.pick > 3 ? { title: move.text, toolMetadata: { by: move.id }, providerExecuted: move.flag } : {}
}

function output(call: Call, move: Choice): Extract<Chunk, { type: 'tool-output-available' }> {
  return {
    type: 'tool-output-available',
    toolCallId: call.id,
    output: move.json,
    ...(move.flag ? { toolMetadata: { by: move.id }, providerExecuted: false } : {}),
    ...move.provider,
  }
}

function approvalIdOf(call: Call): string {
  return `approval of ${call.id} in step ${call.step}`
}
