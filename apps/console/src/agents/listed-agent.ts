/** An agent as the page lists it, whoever made it. */
export interface ListedAgent {
  readonly name: string
  /** Only a definition can belong to one workspace. */
  readonly workspaceId?: string | undefined
  /** The pages of the application on which it is there; everywhere when there are none. */
  readonly pageIds: readonly string[]
  readonly displayName: string
  readonly description: string
  /** `code`: it is written in code, and cannot be changed here. `person`: the person has made it. */
  readonly origin: 'code' | 'person'
  /** Whether people can send it messages. */
  readonly answersPeople: boolean
  /** Whether other agents can delegate to it. */
  readonly isSubAgent: boolean
  readonly isEnabled: boolean
  /** The name of its model, such as `openai:gpt-5`. Missing when it runs on its caller's, or chooses itself. */
  readonly model?: string | undefined
  readonly toolKeys: readonly string[]
  /** The names of the agents it may delegate to; `*` means every agent. */
  readonly allowedSubAgents: readonly string[]
  readonly maxDepth?: number | undefined
  readonly maxSteps?: number | undefined
  readonly warnings: readonly Refusal[]
}

/** What the server says is wrong with one field of a definition. */
export interface Refusal {
  readonly code: string
  readonly field: string
  readonly message: string
}

/** An agent as `GET /api/agents` has it in one of its two lists. */
export interface SentAgent {
  readonly name: string
  readonly workspaceId?: string
  readonly pageIds?: readonly string[]
  readonly displayName: string
  readonly description?: string
  readonly source?: 'code' | 'database'
  readonly enabled?: boolean
  readonly answersPeople?: boolean
  readonly model?: string | { readonly provider: string; readonly modelId: string }
  readonly toolKeys?: readonly string[]
  readonly allowedSubAgents?: readonly string[]
  readonly maxDepth?: number
  readonly maxSteps?: number
  readonly warnings?: readonly Refusal[]
}

/** Returns the agents of both lists of the server. An agent that is in both of them comes once. */
export function listedAgents(
  masters: readonly SentAgent[],
  subAgents: readonly SentAgent[],
): readonly ListedAgent[] {
  const names = new Set(masters.map(({ name }) => name))
  const subNames = new Set(subAgents.map(({ name }) => name))
  return [
    ...masters.map(sent => listed(sent, { answersPeople: true, isSubAgent: subNames.has(sent.name) })),
    ...subAgents
      .filter(({ name }) => !names.has(name))
      .map(sent => listed(sent, { answersPeople: sent.answersPeople === true, isSubAgent: true })),
  ]
}

function listed(sent: SentAgent, roles: Pick<ListedAgent, 'answersPeople' | 'isSubAgent'>): ListedAgent {
  const { name, workspaceId, displayName, description = '', model, maxDepth, maxSteps } = sent
  return {
    ...roles,
    name,
    workspaceId,
    pageIds: sent.pageIds ?? [],
    displayName,
    description,
    origin: sent.source === 'database' ? 'person' : 'code',
    isEnabled: sent.enabled ?? true,
    model: typeof model === 'object' ? `${model.provider}:${model.modelId}` : model,
    toolKeys: sent.toolKeys ?? [],
    allowedSubAgents: sent.allowedSubAgents ?? [],
    maxDepth,
    maxSteps,
    warnings: sent.warnings ?? [],
  }
}
