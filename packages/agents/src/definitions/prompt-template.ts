import type { AgentFrame } from '../run/agent-frame.ts'
import { activeTabOf } from '../run/request-context.ts'

/** What a template may name, as in `You work in {{workspaceId}}.` */
export const promptVariables = [
  'agentName',
  'workspaceId',
  'mode',
  'currentDate',
  'activeTabTitle',
  'activeTabUrl',
] as const
type PromptVariable = (typeof promptVariables)[number]

// No braces inside, so a try that fails ends at the next brace: the time is linear in the length.
const placeholder = /\{\{([^{}]*)\}\}/g

/** The names in a template that mean nothing here, each once. */
export function unknownVariables(template: string): readonly string[] {
  const names = Array.from(template.matchAll(placeholder), ([, name = '']) => name.trim())
  return [...new Set(names)].filter(name => !isVariable(name))
}

/** The prompt for one task. Values go in as plain text, once: braces in a value mean nothing. */
export function fillTemplate(template: string, frame: AgentFrame): string {
  const values = valuesOf(frame)
  return template.replace(placeholder, (whole, inner: string) => {
    const name = inner.trim()
    return isVariable(name) ? singleLine(values[name]) : whole
  })
}

function valuesOf({ agent, mode, run }: AgentFrame): Readonly<Record<PromptVariable, string>> {
  const tab = activeTabOf(run.context)
  return {
    agentName: agent.displayName,
    workspaceId: run.context.workspaceId ?? '',
    mode,
    currentDate: run.now().toISOString().slice(0, 10),
    activeTabTitle: tab?.title ?? '',
    activeTabUrl: tab?.url ?? '',
  }
}

function isVariable(name: string): name is PromptVariable {
  const names: readonly string[] = promptVariables
  return names.includes(name)
}

// A page chooses its own title: on one line it cannot pass for a paragraph of the instructions.
function singleLine(value: string): string {
  return value.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
