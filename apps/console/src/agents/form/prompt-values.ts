import type { AgentDraft } from './agent-draft.ts'

interface Surroundings {
  readonly draft: Pick<AgentDraft, 'name' | 'displayName'>
  readonly workspaceId: string | undefined
}

/**
 * Returns the values that the variables of a prompt would have in an answer on this page. A variable that this page does
 * not know is filled with an empty text.
 */
export function promptValues(
  variables: readonly string[],
  { draft, workspaceId = '' }: Surroundings,
): Readonly<Record<string, string>> {
  const known: Readonly<Record<string, string>> = {
    agentName: draft.displayName.trim() || draft.name,
    workspaceId,
    mode: 'chat',
    currentDate: new Date().toISOString().slice(0, 10),
    activeTabTitle: 'Throughline',
    activeTabUrl: '',
  }
  return Object.fromEntries(variables.map(variable => [variable, known[variable] ?? '']))
}
