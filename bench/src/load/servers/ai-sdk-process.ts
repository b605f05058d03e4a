import type { ServerResponse } from 'node:http'
import { abortableStream } from '@throughline/agents/testing'
import {
  createUIMessageStream,
  pipeUIMessageStreamToResponse,
  streamText,
  toUIMessageStream,
  type UIMessageStreamWriter,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { type AnswerPlan, planIn, questionFor } from '../answer-plan.ts'
import { dueDeltas } from './due-deltas.ts'
import { listenForPlans } from './listen-for-plans.ts'

// Routes of the AI SDK that save nothing. With the argument `streamText`, a model writes the answer, and `streamText`
// drives it. With `writer`, the route writes the chunks itself, as our scripted agent does: there is no model loop.
const isWriter = process.argv[2] === 'writer'
await listenForPlans((plan, response) =>
  isWriter ? writeAnswer(plan, response) : streamAnswer(plan, response),
)

async function streamAnswer(plan: AnswerPlan, response: ServerResponse): Promise<void> {
  const { stream } = streamText({ model, prompt: questionFor(plan) })
  await pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream }) })
}

async function writeAnswer(plan: AnswerPlan, response: ServerResponse): Promise<void> {
  const stream = createUIMessageStream({
    execute: ({ writer }) => play(plan, writer),
    // The documentation saves the message here. This route saves nothing, but it pays for the message.
    onEnd: () => undefined,
  })
  await pipeUIMessageStreamToResponse({ response, stream })
}

async function play(plan: AnswerPlan, writer: UIMessageStreamWriter): Promise<void> {
  writer.write({ type: 'start' })
  writer.write({ type: 'start-step' })
  writer.write({ type: 'text-start', id: 'text-1' })
  for await (const delta of dueDeltas(plan)) writer.write({ type: 'text-delta', id: 'text-1', delta })
  writer.write({ type: 'text-end', id: 'text-1' })
  writer.write({ type: 'finish-step' })
  writer.write({ type: 'finish' })
}

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

const model = new MockLanguageModelV4({
  doStream: async ({ prompt, abortSignal }) => ({
    stream: abortableStream(() => partsOf(planIn(JSON.stringify(prompt))), abortSignal),
  }),
})

async function* partsOf(plan: AnswerPlan): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: '0' }
  for await (const delta of dueDeltas(plan)) yield { type: 'text-delta', id: '0', delta }
  yield { type: 'text-end', id: '0' }
  const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }
  const outputTokens = { total: plan.deltas, text: plan.deltas, reasoning: 0 }
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens, outputTokens },
  }
}
