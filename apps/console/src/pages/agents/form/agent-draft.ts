import type { DefinitionBody } from '@throughline/protocol/internal'

/** The settings of a model that a definition can have, with the range that the server takes. */
export const modelParams = {
  temperature: { min: 0, max: 2, step: 0.1 },
  topP: { min: 0, max: 1, step: 0.05 },
  topK: { min: 1, max: 1_000, step: 1 },
  presencePenalty: { min: -2, max: 2, step: 0.1 },
  frequencyPenalty: { min: -2, max: 2, step: 0.1 },
  maxOutputTokens: { min: 1, max: 1_000_000, step: 1 },
  seed: { min: 0, max: 2_147_483_647, step: 1 },
} as const

/** A definition as the fields of the form have it. Numbers are texts: a field may be empty. */
export interface AgentDraft {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly isEnabled: boolean
  readonly systemPrompt: string
  readonly hasModel: boolean
  readonly provider: string
  readonly modelId: string
  readonly params: Readonly<Record<string, string>>
  readonly toolKeys: readonly string[]
  readonly allowedSubAgents: readonly string[]
  readonly maxDepth: string
  readonly maxSteps: string
  /** It cannot be changed later. */
  readonly workspaceId: string
  /** Separated by commas. */
  readonly pageIds: string
}

export const emptyDraft: AgentDraft = {
  name: '',
  displayName: '',
  description: '',
  isEnabled: true,
  systemPrompt: '',
  hasModel: false,
  provider: '',
  modelId: '',
  params: {},
  toolKeys: [],
  allowedSubAgents: [],
  maxDepth: '',
  maxSteps: '',
  workspaceId: '',
  pageIds: '',
}

/** Returns the draft of a definition. */
export function draftOf(definition: DefinitionBody): AgentDraft {
  const { name, displayName, description = '', enabled, systemPrompt, model } = definition
  return {
    name,
    // The server fills in the name when there is no other one.
    displayName: displayName === name ? '' : displayName,
    description,
    isEnabled: enabled,
    systemPrompt,
    hasModel: model !== undefined,
    provider: model?.provider ?? '',
    modelId: model?.modelId ?? '',
    params: Object.fromEntries(Object.entries(model?.params ?? {}).map(([key, value]) => [key, `${value}`])),
    toolKeys: definition.toolKeys,
    allowedSubAgents: definition.allowedSubAgents,
    maxDepth: numberText(definition.maxDepth),
    maxSteps: numberText(definition.maxSteps),
    workspaceId: definition.workspaceId ?? '',
    pageIds: definition.pageIds.join(', '),
  }
}

/** Returns what is sent to save a draft. `replaced` is the definition that it was made from. */
export function definitionBody(
  draft: AgentDraft,
  replaced: DefinitionBody | undefined,
): Readonly<Record<string, unknown>> {
  const { displayName, description, isEnabled, systemPrompt, toolKeys, allowedSubAgents } = draft
  const kept = replaced === undefined ? {} : { id: replaced.id, version: replaced.version }
  return {
    ...kept,
    displayName: displayName.trim() || undefined,
    description: description.trim() || undefined,
    enabled: isEnabled,
    systemPrompt,
    model: draft.hasModel ? modelOf(draft) : undefined,
    toolKeys,
    allowedSubAgents,
    maxDepth: numberIn(draft.maxDepth),
    maxSteps: numberIn(draft.maxSteps),
    pageIds: idsIn(draft.pageIds),
  }
}

/** Returns whether two drafts say the same. */
export function isSameDraft(one: AgentDraft, other: AgentDraft): boolean {
  return (
    JSON.stringify(definitionBody(one, undefined)) === JSON.stringify(definitionBody(other, undefined)) &&
    one.name === other.name &&
    one.workspaceId === other.workspaceId
  )
}

function modelOf({ provider, modelId, params }: AgentDraft) {
  const given = Object.entries(params).flatMap(([key, text]) => {
    const value = numberIn(text)
    return value === undefined ? [] : [[key, value] as const]
  })
  const settings = given.length === 0 ? {} : { params: Object.fromEntries(given) }
  return { provider, modelId, ...settings }
}

/** Returns the ids of a text with commas between them. */
export function idsIn(text: string): readonly string[] {
  return text
    .split(/[,，]/)
    .map(id => id.trim())
    .filter(id => id !== '')
}

function numberIn(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}

function numberText(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}
