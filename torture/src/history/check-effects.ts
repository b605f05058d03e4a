import type { Effect } from '@throughline/testing/nodes/counted-tool'
import type { Violation } from './history.ts'

/** D6: a tool that is not idempotent never does the same task twice. The others do it again only under the same key. */
export function checkEffects(
  effects: readonly Effect[],
  { idempotent }: { readonly idempotent: ReadonlySet<string> },
): readonly Violation[] {
  const tasks = Map.groupBy(effects, ({ runId, tool, task }) => `${tool}, ${task} of ${runId}`)
  return [...tasks].flatMap(([task, times]): readonly Violation[] => {
    const keys = new Set(times.map(({ idempotencyKey }) => idempotencyKey))
    const isRepeatable = times.every(({ tool }) => idempotent.has(tool))
    if (times.length === 1 || (isRepeatable && keys.size === 1)) return []
    const detail = `${task} was done ${times.length} times, under ${[...keys].join(' and ')}.`
    return [{ kind: 'doubled', invariant: 'D6', chatId: times[0]?.runId ?? '', detail }]
  })
}
