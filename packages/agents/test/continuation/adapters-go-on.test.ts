import type { Part } from '@throughline/protocol'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { describe, expect, test } from 'vitest'
import type { AgentRequest } from '../../src/agent/agent.ts'
import type { KeyedAgent } from '../../src/agent/named-agent.ts'
import { goOnNote } from '../../src/ai-sdk/request-messages.ts'
import { fromLangGraph } from '../../src/langgraph/from-lang-graph.ts'
import { fromMastra } from '../../src/mastra/from-mastra.ts'
import { fromOpenAIAgents } from '../../src/openai-agents/from-openai-agents.ts'
import { inFrame } from '../../src/run/agent-frame.ts'

const text: Part = { type: 'text', text: 'I look' }
const looked: Part = {
  type: 'dynamic-tool',
  toolName: 'look',
  toolCallId: 'call',
  state: 'output-available',
  input: { at: 'it' },
  output: 'Seen.',
}
const lost: Part = { type: 'reasoning', text: 'I think.' }
const mark: Part = { type: 'data-continued', data: { attempt: 1, at: '', isStepCut: true } }
const step: Part = { type: 'step-start' }

async function* nothing() {}

/** Returns what a library was asked, and with which options. */
type Ask = (parts: readonly Part[], options?: { maxSteps?: number }) => Promise<Asked | undefined>
interface Asked {
  readonly input: string
  readonly maxSteps: unknown
  readonly threadId?: unknown
}

const adapters: readonly (readonly [string, Ask])[] = [
  [
    'OpenAI Agents',
    (parts, options) =>
      asked(parts, tell =>
        fromOpenAIAgents(
          { name: 'one' },
          {
            ...options,
            continues: true,
            runner: {
              async run(_agent, input, { maxTurns }) {
                tell({ input: JSON.stringify(input), maxSteps: maxTurns })
                const state = { usage: {}, approve: () => undefined, reject: () => undefined }
                return Object.assign(nothing(), { interruptions: [], finalOutput: 'Done.', state })
              },
            },
          },
        ),
      ),
  ],
  [
    'Mastra',
    (parts, options) =>
      asked(parts, tell => {
        const never = () => Promise.reject(new Error('Nobody approves anything.'))
        const agent = {
          name: 'one',
          getDescription: () => '',
          hasOwnMemory: () => true,
          getMastraInstance: () => undefined,
          approveToolCall: never,
          declineToolCall: never,
          async stream(messages: unknown, { maxSteps }: { maxSteps?: number }) {
            tell({ input: JSON.stringify(messages), maxSteps })
            return { runId: 'run', fullStream: nothing() }
          },
        }
        return fromMastra(agent, { ...options, continues: true })
      }),
  ],
  [
    'LangGraph',
    parts =>
      asked(parts, tell =>
        fromLangGraph(
          {
            async stream(input, options: { configurable?: { thread_id?: unknown } }) {
              const threadId = options.configurable?.thread_id
              tell({ input: JSON.stringify(input), maxSteps: undefined, threadId })
              return nothing()
            },
          },
          { continues: true },
        ),
      ),
  ],
]

describe.each(adapters)('an agent of %s that goes on', (_name, ask) => {
  test('gets the answer so far, and a note when it was cut in a text', async () => {
    const { input = '' } = (await ask([step, lost, text, mark])) ?? {}
    expect(input).toMatch(/Question\?.*I look.*Go on exactly where it ends/)
    expect(input).not.toContain('I think.')
  })

  test('gets the results of calls, and no note after them', async () => {
    const { input = '' } = (await ask([step, text, looked, mark])) ?? {}
    expect(input).toMatch(/Question\?.*I look.*look.*Seen\./)
    expect(input).not.toContain(goOnNote)
  })

  test('is asked again when it had said nothing', async () => {
    const { input = '' } = (await ask([step, lost, mark])) ?? {}
    expect(input).toContain('Question?')
    expect(input).not.toContain(goOnNote)
  })
})

test.each(adapters.slice(0, 2))('the steps of an agent of %s count over all attempts', async (_name, ask) => {
  expect(await ask([step, looked, step, text, mark], { maxSteps: 5 })).toMatchObject({ maxSteps: 3 })
  expect(await ask([step, looked, step, text, mark], { maxSteps: 2 })).toBeUndefined()
})

test('a graph goes on in a new thread: the old one may stand between a call and its result', async () => {
  const [, , langGraph] = adapters
  const threads = await Promise.all([[], [text, mark]].map(parts => langGraph?.[1](parts)))
  expect(new Set(threads.map(thread => thread?.threadId)).size).toBe(2)
})

test('an agent whose memory is elsewhere cannot go on, and says so when it is made', () => {
  const graph = { stream: async () => nothing(), getState: async () => ({}), checkpointer: {} }
  expect(() => fromLangGraph(graph, { memory: 'thread', continues: true })).toThrow(/continues/)
})

/** Runs an agent with the beginning of an answer. */
async function asked(
  parts: readonly Part[],
  agentThat: (tell: (asked: Asked) => void) => KeyedAgent,
): Promise<Asked | undefined> {
  let told: Asked | undefined
  const agent = agentThat(asked => {
    told = asked
  })
  const request: AgentRequest = {
    messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'Question?' }] }],
    answerSoFar: { id: 'answer', role: 'assistant', parts: [...parts] },
    signal: new AbortController().signal,
  }
  await inFrame(testFrame(), () => Array.fromAsync(agent.run(request)))
  return told
}
