import type { AgentDraft } from './agent-draft.ts'

/** A piece of a prompt whose variables are filled in. */
export type PromptPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'value'; readonly variable: string; readonly text: string }
  | { readonly type: 'unknown'; readonly variable: string }

/** Cuts a template into its texts and variables, with the values that an answer would have now. */
export function fillPrompt(
  template: string,
  values: Readonly<Record<string, string>>,
): readonly PromptPiece[] {
  const pieces: PromptPiece[] = []
  let end = 0
  for (const match of template.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const variable = (match[1] ?? '').trim()
    if (match.index > end) pieces.push({ type: 'text', text: template.slice(end, match.index) })
    const text = Object.hasOwn(values, variable) ? values[variable] : undefined
    pieces.push(text === undefined ? { type: 'unknown', variable } : { type: 'value', variable, text })
    end = match.index + match[0].length
  }
  if (end < template.length) pieces.push({ type: 'text', text: template.slice(end) })
  return pieces
}

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
