import type { ToolFactory } from '@throughline/agents/run/tool-factory-registry'
import { didYouMean } from '@throughline/protocol/nearest-name'
import type { Config } from '../config.ts'
import { refuse } from './checks.ts'

/**
 * The tools, with those that a person must approve marked as such. Throws when a rule is about a tool that does not
 * exist: it was meant for another one, which nobody would be asked about. A tool may be absent for now.
 */
export function withApprovals(
  tools: readonly ToolFactory[],
  { approvals = {} }: Config,
  whyAbsent: (key: string) => string | undefined,
): readonly ToolFactory[] {
  const keys = tools.map(({ key }) => key)
  for (const key of Object.keys(approvals)) {
    if (!keys.includes(key) && whyAbsent(key) === undefined)
      refuse('approvals', `there is no tool ${JSON.stringify(key)}. ${didYouMean(key, keys)}`)
  }
  return tools.map(factory => {
    const needsApproval = Object.hasOwn(approvals, factory.key) ? approvals[factory.key] : undefined
    return needsApproval === undefined ? factory : { ...factory, needsApproval }
  })
}
