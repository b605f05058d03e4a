import { z } from 'zod'
import { subAgentToolKey } from '../../run/sub-agent-key.ts'
import { type DemoBeat, textBeat } from './demo-beat.ts'
import type { DemoScene, DemoToolResult } from './demo-prompt.ts'
import { missingTools } from './demo-tool-scripts.ts'

const delegationResult = z.union([
  z.object({ ok: z.literal(true), summary: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
])

/** The result of a task that was delegated. */
export type Delegation = z.infer<typeof delegationResult>

/** Returns the results of all tasks that were delegated since the question, in the order of the calls. */
export function delegationsIn(results: readonly DemoToolResult[]): readonly Delegation[] {
  return results.filter(({ toolName }) => toolName === subAgentToolKey).map(readDelegation)
}

function readDelegation(result: DemoToolResult): Delegation {
  if (result.status === 'failed') return { ok: false, code: 'FAILED', message: result.reason }
  const read = delegationResult.safeParse(result.value)
  return read.success ? read.data : { ok: false, code: 'UNKNOWN', message: JSON.stringify(result.value) }
}

export function askBeat(name: string, task: string): DemoBeat {
  return { type: 'tool-call', toolName: subAgentToolKey, input: { name, task } }
}

/** Returns what to say when one of the agents cannot be asked here; `undefined` when all can. */
export function withoutAgents(
  { toolNames, agentNames, isChinese }: DemoScene,
  names: readonly string[],
): readonly DemoBeat[] | undefined {
  if (!toolNames.has(subAgentToolKey)) return [missingTools([subAgentToolKey], isChinese)]
  const missing = names.filter(name => !agentNames.has(name)).map(name => `\`${name}\``)
  if (missing.length === 0) return undefined
  return [
    isChinese
      ? textBeat(`这里没有智能体 ${missing.join('、')}，所以无法请教。`)
      : textBeat(`I would ask ${missing.join(' and ')} here, but this installation has no such agent.`),
  ]
}

/** Describes a refusal or a failure by its code and its message. */
export function describeDelegation(delegation: Delegation, isChinese: boolean): string {
  if (delegation.ok) return isChinese ? '任务完成了。' : 'the task was done.'
  const { code, message } = delegation
  return isChinese ? `\`${code}\`：“${message}”` : `\`${code}\`, "${message}"`
}
