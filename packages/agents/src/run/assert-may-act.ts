import { truncatedIn } from '@throughline/protocol'
import { cutValue } from '../values/cut-value.ts'
import type { RunScope } from './run-scope.ts'
import { subAgentToolKey, type ToolFactory } from './tool-factory-registry.ts'

/**
 * Rejects when a tool must not begin now, because another process may do the same by now. A tool that is idempotent may
 * always begin. So may the tool that delegates: the tools of the sub-agent are checked by themselves.
 */
export async function assertMayAct(
  { mayActOutside }: Pick<RunScope, 'mayActOutside'>,
  { key, idempotent = false }: Pick<ToolFactory, 'key' | 'idempotent'>,
): Promise<void> {
  if (idempotent || key === subAgentToolKey || mayActOutside === undefined || (await mayActOutside())) return
  throw new Error(
    `The tool ${key} was not called, and nothing was done. This server has not reached its database for more than 10 seconds, so another server may go on with this answer. Try the call again in a moment.`,
  )
}

/**
 * Throws when the input of a call is so large that it is cut in the log. A person who approves a call, or looks at it
 * later, must see the whole input.
 */
export function assertShown(input: unknown, maxBytes: number): void {
  const size = truncatedIn(cutValue(input, { limit: 'maxToolOutputBytes', maxBytes }).value)?.bytes ?? 0
  if (size <= maxBytes) return
  throw new Error(`The input has ${size} bytes, and ${maxBytes} are allowed. Send less at once.`)
}
