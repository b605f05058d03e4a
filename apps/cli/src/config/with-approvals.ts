import type { ToolFactory } from '@throughline/agents'
import { didYouMean } from '@throughline/protocol/internal'
import type { Config } from '../config.ts'
import { refuse } from './checks.ts'

/**
 * Returns the tools, and marks those that a person must approve. Throws a `SettingError` when a rule names a tool that
 * does not exist: the rule was probably meant for another tool, which would then run without approval. A tool that is
 * only missing for now is no error.
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
