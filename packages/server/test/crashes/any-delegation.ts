import type { AnswerPlan, PlannedItem } from '@throughline/testing/agent/planned-model'
import fc from 'fast-check'

/** What an agent does: it says something, makes these calls at the same time, and so on, and says something at the end. */
export interface Work {
  readonly steps: readonly (readonly Deed[])[]
}

/** A call of an agent: of a tool, or of another agent with work of its own. */
export type Deed = { readonly tool: 'look' | 'pay' | 'remove' } | { readonly work: Work }

/** Any work whose sub-agents have sub-agents, up to this depth. */
export function anyWork(depth: number): fc.Arbitrary<Work> {
  const tool = fc.record({ tool: fc.constantFrom('look', 'pay', 'remove') })
  const deed: fc.Arbitrary<Deed> =
    depth === 0 ? tool : fc.oneof({ arbitrary: tool, weight: 1 }, { arbitrary: asking(depth), weight: 2 })
  return fc.record({
    steps: fc.array(fc.array(deed, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  })
}

function asking(depth: number): fc.Arbitrary<Deed> {
  return fc.record({ work: anyWork(depth - 1) })
}

/** Returns the plans of all agents, by the tasks that they get. Each agent is called after its depth. */
export function plansOf(work: Work, task: string, depth = 0): ReadonlyMap<string, AnswerPlan> {
  const plans = new Map<string, AnswerPlan>()
  const items = work.steps.flatMap((deeds, step): readonly PlannedItem[] => {
    const calls = deeds.map((deed, index): PlannedItem => {
      const name = `${task}.${step}${index}`
      if ('tool' in deed) return { type: 'call', toolName: deed.tool, input: { task: name } }
      for (const [theirs, plan] of plansOf(deed.work, name, depth + 1)) plans.set(theirs, plan)
      return { type: 'call', toolName: 'subAgent', input: { name: `depth-${depth + 1}`, task: name } }
    })
    return [{ type: 'say', text: `${task} does ${step}. ` }, ...calls]
  })
  return plans.set(task, { items: [...items, { type: 'say', text: `${task} is done.` }], pauseMs: 0 })
}
