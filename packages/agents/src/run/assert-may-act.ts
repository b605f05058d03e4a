import type { RunScope } from './run-scope.ts'
import { subAgentToolKey } from './sub-agent-key.ts'
import type { ToolFactory } from './tool-factory-registry.ts'

/**
 * Throws when a tool must not begin now, because another process may do the same by now. A tool that is idempotent may
 * always begin. So may the tool that delegates: the tools of the sub-agent are checked by themselves.
 */
export function assertMayAct(
  { mayActOutside }: Pick<RunScope, 'mayActOutside'>,
  { key, idempotent = false }: Pick<ToolFactory, 'key' | 'idempotent'>,
): void {
  if (idempotent || key === subAgentToolKey || mayActOutside === undefined || mayActOutside()) return
  throw new Error(
    `The tool ${key} was not called, and nothing was done. This server has not reached its database for more than 10 seconds, so another server may go on with this answer. Try the call again in a moment.`,
  )
}
