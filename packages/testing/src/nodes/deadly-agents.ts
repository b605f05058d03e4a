import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type ToolFactory, toolContext, toolFactory } from '@throughline/agents'
import { tool } from 'ai'
import { z } from 'zod'
import { type AnswerPlan, type PlannedItem, plannedModel } from '../agent/planned-model.ts'
import { delegating, subAgent } from '../server/delegating-server.ts'
import type { TestServerOptions } from '../server/test-server.ts'
import { countedTool, type Effect } from './counted-tool.ts'

const errandSchema = z.object({
  /** How many words the answer has. */
  words: z.number(),
  /** Before each word. */
  pauseMs: z.number(),
  /** How the answer kills its process, again and again. Default: it does not. */
  dies: z.enum(['kill', 'abort', 'exit', 'throw']).optional(),
  /** How long its tool works before it does. */
  afterMs: z.number().default(0),
  /** A sub-agent has the tool, and the model asks for it again and again. */
  isInHelper: z.boolean().default(false),
})

/** What a question asks for, as JSON. */
export type Errand = z.input<typeof errandSchema>

/** Returns the whole text of an answer that does not die. */
export function textOfErrand({ words }: Errand): string {
  return wordsOf(words).join('')
}

/**
 * Returns the options of a server whose questions are errands. Some kill the process with a tool: the model calls that tool
 * once more whenever it is called again. Each effect of a tool is a line in the file.
 */
export function deadlyAgents(effectsFile: string): TestServerOptions {
  return delegating({
    model: plannedModel((_agent, question) => planOf(errandSchema.parse(JSON.parse(question)))),
    tools: [
      countedTool('pay', { file: effectsFile, isIdempotent: false, takesMs: 200 }),
      dieTool(effectsFile),
    ],
    subAgents: [subAgent('helper', { tools: ['die'] })],
    limits: { maxSteps: 200, maxChildrenPerAgent: 100, maxChildrenPerRun: 100 },
  })
}

const howOften = 50

function planOf(errand: z.infer<typeof errandSchema>): AnswerPlan {
  const { words, pauseMs, dies, afterMs, isInHelper } = errand
  const texts = wordsOf(words)
  const middle = Math.ceil(words / 2)
  const say = (text: string): PlannedItem => ({ type: 'say', text })
  const numbers = Array.from({ length: howOften }, (_, index) => index + 1)
  const tries = numbers.map((number): PlannedItem => {
    const task = JSON.stringify({ ...errand, isInHelper: false, words: number })
    return isInHelper
      ? { type: 'call', toolName: 'subAgent', input: { name: 'helper', task } }
      : { type: 'call', toolName: 'die', input: { how: dies, afterMs, task: `die ${number}` } }
  })
  const pay: PlannedItem = { type: 'call', toolName: 'pay', input: { task: 'pay' } }
  const calls = dies === undefined ? [pay] : tries.flatMap(call => [call, say('I try again. ')])
  const rest = texts.slice(middle).join('')
  return { items: [say(texts.slice(0, middle).join('')), ...calls, say(rest)], pauseMs }
}

function wordsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${index + 1} `)
}

/** Returns the tool `die`, which kills its process. Each call adds a line to the file. */
export function dieTool(file: string): ToolFactory {
  const inputSchema = z.object({
    how: z.enum(['kill', 'abort', 'exit', 'throw']),
    afterMs: z.number(),
    task: z.string(),
  })
  return toolFactory(
    'die',
    tool({
      description: 'Kills its process.',
      inputSchema,
      async execute({ how, afterMs, task }) {
        const { runId, idempotencyKey } = toolContext()
        const effect: Effect = { tool: 'die', runId, task, idempotencyKey, isIdempotent: false }
        appendFileSync(file, `${JSON.stringify(effect)}\n`)
        await pause(afterMs)
        deaths[how]()
        return await new Promise<string>(() => undefined)
      },
    }),
  )
}

const deaths: Readonly<Record<NonNullable<Errand['dies']>, () => void>> = {
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  abort: () => process.abort(),
  exit: () => process.exit(7),
  throw: () =>
    void setImmediate(() => {
      throw new Error('Nobody catches this.')
    }),
}
