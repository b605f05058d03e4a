import { asChatError, errorFrom } from '@throughline/client'
import {
  type DefinableModels,
  type DefinitionBody,
  type DefinitionProblem,
  isAgentsBody,
  isDefinitionBody,
  isRefusedDefinition,
  isToolsBody,
  type MasterBody,
  type SubAgentBody,
  type ToolBody,
} from '@throughline/protocol/internal'
import { callServer, checkedBody, sendJson, tellServer } from '../server/call-server.ts'

/** What the page of agents shows and offers. */
export interface AgentsOverview {
  readonly agents: readonly AgentInList[]
  readonly tools: readonly ToolBody[]
  /** The names of the variables that a prompt can have. */
  readonly variables: readonly string[]
  readonly definable: DefinableModels
}

/** Names an agent that a person has defined. */
export type DefinedAgentKey = Pick<DefinitionBody, 'name' | 'workspaceId'>

/** What became of an attempt to save. */
export type SaveOutcome =
  | { readonly status: 'saved'; readonly definition: DefinitionBody }
  | { readonly status: 'refused'; readonly refusals: readonly DefinitionProblem[] }
  /** `code` is the server's, or `network`. */
  | { readonly status: 'failed'; readonly code: string; readonly message: string }

/** Loads everything that the page of agents needs. Throws a `ChatError`. */
export async function loadOverview(): Promise<AgentsOverview> {
  const [list, { tools }] = await Promise.all([
    callServer(isAgentsBody, 'GET', '/api/agents'),
    callServer(isToolsBody, 'GET', '/api/tools'),
  ])
  const { agents, subAgents, promptVariables, definable } = list
  return { agents: listedAgents(agents, subAgents), tools, variables: promptVariables, definable }
}

/** Loads one definition. Throws a `ChatError`. */
export function loadDefinition(key: DefinedAgentKey): Promise<DefinitionBody> {
  return callServer(isDefinitionBody, 'GET', pathTo(key))
}

/** Deletes a definition. Throws a `ChatError`. */
export async function removeDefinition(key: DefinedAgentKey): Promise<void> {
  await tellServer('DELETE', pathTo(key))
}

/** Saves a definition. What the server refuses is a value, because the form shows it beside its fields. */
export async function saveDefinition(key: DefinedAgentKey, body: unknown): Promise<SaveOutcome> {
  try {
    const response = await sendJson('PUT', pathTo(key), body)
    const sent: unknown = await response.clone().json()
    if (response.ok) return { status: 'saved', definition: checkedBody(isDefinitionBody, sent) }
    if (isRefusedDefinition(sent)) return { status: 'refused', refusals: sent.errors }
    throw await errorFrom(response)
  } catch (error) {
    const { code, message } = asChatError(error)
    return { status: 'failed', code, message }
  }
}

function pathTo({ name, workspaceId }: DefinedAgentKey): string {
  const query = workspaceId === undefined ? '' : `?workspaceId=${encodeURIComponent(workspaceId)}`
  return `/api/agents/${encodeURIComponent(name)}${query}`
}

/** An agent as the page lists it, whoever made it. */
export interface AgentInList {
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
  readonly warnings: readonly DefinitionProblem[]
}

/** Returns the agents of both lists of the server. An agent that is in both of them comes once. */
function listedAgents(
  masters: readonly MasterBody[],
  subAgents: readonly SubAgentBody[],
): readonly AgentInList[] {
  const names = new Set(masters.map(({ name }) => name))
  const subNames = new Set(subAgents.map(({ name }) => name))
  return [
    ...masters.map(sent => {
      const isSubAgent = subNames.has(sent.name)
      return listed({ ...sent, source: 'code', enabled: true, answersPeople: true }, isSubAgent)
    }),
    ...subAgents.filter(({ name }) => !names.has(name)).map(sent => listed(sent, true)),
  ]
}

function listed(sent: SubAgentBody, isSubAgent: boolean): AgentInList {
  const { name, workspaceId, displayName, description = '', model, maxDepth, maxSteps } = sent
  return {
    name,
    workspaceId,
    pageIds: sent.pageIds ?? [],
    displayName,
    description,
    origin: sent.source === 'database' ? 'person' : 'code',
    answersPeople: sent.answersPeople === true,
    isSubAgent,
    isEnabled: sent.enabled,
    model: typeof model === 'object' ? `${model.provider}:${model.modelId}` : model,
    toolKeys: sent.toolKeys,
    allowedSubAgents: sent.allowedSubAgents,
    maxDepth,
    maxSteps,
    warnings: sent.warnings ?? [],
  }
}
