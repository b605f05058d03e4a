import type { AgentFrame } from '../run/agent-frame.ts'
import { activeTabOf } from '../run/request-context.ts'

/** The variables of a template, as in `You work in {{workspaceId}}.` */
export const promptVariables = [
  'agentName',
  'workspaceId',
  'mode',
  'currentDate',
  'activeTabTitle',
  'activeTabUrl',
] as const
type PromptVariable = (typeof promptVariables)[number]

// Without braces inside, a failed match ends at the next brace. So the time is linear in the length of the text.
const placeholder = /\{\{([^{}]*)\}\}/g

/** Returns the variables of a template that do not exist, each once. */
export function unknownVariables(template: string): readonly string[] {
  const names = Array.from(template.matchAll(placeholder), ([, name = '']) => name.trim())
  return [...new Set(names)].filter(name => !isVariable(name))
}

/** Returns the prompt for one task. Values are inserted as plain text: braces in a value are no variables. */
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

// A page chooses its own title. On one line, a title cannot look like a paragraph of the instructions.
function singleLine(value: string): string {
  return value.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
