import { didYouMean, type KeysOf, unknownKey } from '@throughline/protocol/internal'
import type { Tool } from 'ai'
import { type Mode, modes } from './request-context.ts'

/** A tool of the AI SDK. It may say in which modes of a request agents have it. */
export type ToolWithModes = Tool & {
  /** The modes in which agents have the tool; all by default. */
  readonly modes?: readonly Mode[]
}

/** Returns a sentence about what is wrong with a tool, or `undefined`. Nobody checks the types of a configuration. */
export function toolProblem(tool: ToolWithModes): string | undefined {
  return unknownKey(withoutInner(tool), toolKeys) ?? modesProblem(tool.modes) ?? approvalProblem(tool)
}

/** What is neither would have to count as yes or as no. So it is refused. */
function approvalProblem({ needsApproval }: ToolWithModes): string | undefined {
  if (['undefined', 'boolean', 'function'].includes(typeof needsApproval)) return undefined
  return 'needsApproval must be true, false or a function.'
}

/** An option that is ignored could be one that was to limit the tool. So each key must be known. */
const toolKeys: KeysOf<Record<KeyOfAny<ToolWithModes>, unknown>> = {
  type: true,
  id: true,
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  contextSchema: true,
  inputExamples: true,
  strict: true,
  deferLoading: true,
  execute: true,
  needsApproval: true,
  onInputStart: true,
  onInputDelta: true,
  onInputAvailable: true,
  toModelOutput: true,
  providerOptions: true,
  metadata: true,
  args: true,
  isProviderExecuted: true,
  supportsDeferredResults: true,
  modes: true,
}
type KeyOfAny<Union> = Union extends Union ? keyof Union : never

/** Libraries keep notes of their own on tools, under names that begin with `_`. */
function withoutInner(tool: object): object {
  return Object.fromEntries(Object.entries(tool).filter(([key]) => !key.startsWith('_')))
}

/** Returns a sentence about modes that do not exist; `undefined` when all do. */
export function modesProblem(given: unknown): string | undefined {
  if (given === undefined) return undefined
  const known: readonly unknown[] = modes
  if (!Array.isArray(given) || given.length === 0)
    return `modes must be a list of one or more of ${modes.join(', ')}.`
  const unknown = given.find(each => !known.includes(each))
  if (unknown === undefined) return undefined
  return `there is no mode ${JSON.stringify(unknown)}. ${didYouMean(String(unknown), modes)}`
}
