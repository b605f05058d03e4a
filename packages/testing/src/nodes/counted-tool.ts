import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type ToolFactory, toolContext, toolFactory } from '@throughline/agents'
import { tool } from 'ai'
import { z } from 'zod'

const effectSchema = z.object({
  tool: z.string(),
  runId: z.string(),
  /** Which call of the run it is, by the plan of the model. */
  task: z.string(),
  idempotencyKey: z.string(),
  isIdempotent: z.boolean(),
})

/** One time that a tool did its work. */
export type Effect = z.infer<typeof effectSchema>

export interface CountedToolOptions {
  /** Gets a line for each effect. Several processes may write to it at once. */
  readonly file: string
  readonly isIdempotent: boolean
  /** How long a call takes. The effect is in the middle. */
  readonly takesMs: number
}

/** Returns a tool whose effects are counted: each call adds a line to a file. */
export function countedTool(key: string, { file, isIdempotent, takesMs }: CountedToolOptions): ToolFactory {
  return toolFactory(
    key,
    tool({
      description: 'Has an effect that is counted.',
      inputSchema: z.object({ task: z.string() }),
      async execute({ task }) {
        const { runId, idempotencyKey } = toolContext()
        await pause(takesMs / 2)
        const effect: Effect = { tool: key, runId, task, idempotencyKey, isIdempotent }
        appendFileSync(file, `${JSON.stringify(effect)}\n`, { flush: true })
        await pause(takesMs / 2)
        return { done: task }
      },
    }),
    { idempotent: isIdempotent },
  )
}

/** Returns all effects in a file, in their order. */
export async function effectsIn(file: string): Promise<readonly Effect[]> {
  const text = await readFile(file, 'utf8')
  return text.split('\n').flatMap(line => (line === '' ? [] : [effectSchema.parse(JSON.parse(line))]))
}
