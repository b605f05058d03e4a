import { z } from 'zod'

/**
 * When the deltas of one answer are due. The question contains the plan, so the source of the deltas and the viewer know
 * the same times. Delta number n is due at the start and n times the interval.
 */
export const answerPlan = z.object({
  /** What the start counts from: the moment when the gate opens (see gate.ts), or 1970. */
  from: z.enum(['gate', '1970']),
  /** The start, in milliseconds. */
  startMs: z.number(),
  /** The time between two deltas, in milliseconds. With 0, all deltas are due at the start. */
  intervalMs: z.number(),
  /** How many deltas the answer has. */
  deltas: z.number(),
  /** How many characters a delta has. */
  chars: z.number(),
})

export type AnswerPlan = z.infer<typeof answerPlan>

/** Returns a plan as the text of a question. */
export function questionFor({ from, startMs, intervalMs, deltas, chars }: AnswerPlan): string {
  return `plan ${from} ${startMs} ${intervalMs} ${deltas} ${chars}`
}

/** Finds the last plan in a text, such as the body of a request. Throws when there is none. */
export function planIn(text: string): AnswerPlan {
  const found = [...text.matchAll(/plan (gate|1970) ([\d.]+) ([\d.]+) (\d+) (\d+)/g)].at(-1)
  if (found === undefined) throw new RangeError(`There is no plan in "${text.slice(0, 200)}".`)
  const [, from, ...numbers] = found
  const [startMs, intervalMs, deltas, chars] = numbers.map(Number)
  return answerPlan.parse({ from, startMs, intervalMs, deltas, chars })
}

/** Returns the text of a delta: its number, so that a viewer can count. Every delta has the same length. */
export function deltaText(number: number, chars: number): string {
  return `t${String(number).padStart(chars - 1, '0')}`
}
