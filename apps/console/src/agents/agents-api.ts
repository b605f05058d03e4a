import { asChatError } from '@throughline/client'
import { addressOf } from '../base-path.ts'
import { callServer } from '../call-server.ts'
import { serverFetch } from '../server-fetch.ts'
import { accessHeaders } from '../settings/access.ts'
import { type ListedAgent, listedAgents, type Refusal } from './listed-agent.ts'

/** A tool that a definition can name. */
export interface ToolItem {
  readonly key: string
  readonly description?: string
  readonly needsApproval: boolean
}

/** What the page of agents shows and offers. */
export interface AgentsOverview {
  readonly agents: readonly ListedAgent[]
  readonly tools: readonly ToolItem[]
  /** The names of the variables that a prompt can have. */
  readonly variables: readonly string[]
  readonly definable: DefinableModels
}

/** The models that the agents of people choose from. */
export interface DefinableModels {
  readonly models: readonly Pick<ModelSpec, 'provider' | 'modelId'>[]
  /** The upper bound of the parameter `maxOutputTokens`. */
  readonly maxOutputTokens: number
}

/** A definition as the server saves it. Its other fields are sent back unchanged. */
export interface Definition {
  readonly name: string
  readonly workspaceId?: string
  readonly displayName: string
  readonly description?: string
  readonly enabled: boolean
  readonly systemPrompt: string
  readonly model?: ModelSpec
  readonly toolKeys: readonly string[]
  readonly allowedSubAgents: readonly string[]
  readonly maxDepth?: number
  readonly maxSteps?: number
  readonly pageIds: readonly string[]
  readonly id: string
  readonly version: number
  readonly updatedAt: string
  readonly warnings: readonly Refusal[]
}

/** Names a model, with its settings. */
export interface ModelSpec {
  readonly provider: string
  readonly modelId: string
  readonly params?: Readonly<Record<string, number>>
}

/** Names a definition. */
export interface DefinitionKey {
  readonly name: string
  readonly workspaceId?: string | undefined
}

/** What became of an attempt to save. */
export type SaveOutcome =
  | { readonly status: 'saved'; readonly definition: Definition }
  | { readonly status: 'refused'; readonly refusals: readonly Refusal[] }
  /** `code` is the server's, or `network`. */
  | { readonly status: 'failed'; readonly code: string; readonly message: string }

/** Loads everything that the page of agents needs. Throws a `ChatError`. */
export async function loadOverview(): Promise<AgentsOverview> {
  const [list, { tools }] = await Promise.all([
    callServer('GET', '/api/agents'),
    callServer('GET', '/api/tools'),
  ])
  const { agents, subAgents, promptVariables, definable } = list
  return { agents: listedAgents(agents, subAgents), tools, variables: promptVariables, definable }
}

/** Loads one definition. Throws a `ChatError`. */
export function loadDefinition(key: DefinitionKey): Promise<Definition> {
  return callServer('GET', pathTo(key))
}

/** Deletes a definition. Throws a `ChatError`. */
export async function removeDefinition(key: DefinitionKey): Promise<void> {
  await callServer('DELETE', pathTo(key))
}

/** Saves a definition. What the server refuses is a value, because the form shows it beside its fields. */
export async function saveDefinition(key: DefinitionKey, body: unknown): Promise<SaveOutcome> {
  try {
    const response = await serverFetch(addressOf(pathTo(key)), {
      method: 'PUT',
      headers: { ...accessHeaders(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const sent = await response.json()
    if (response.ok) return { status: 'saved', definition: sent }
    if (Array.isArray(sent.errors)) return { status: 'refused', refusals: sent.errors }
    return { status: 'failed', code: String(sent.code), message: String(sent.detail) }
  } catch (error) {
    const { code, message } = asChatError(error)
    return { status: 'failed', code, message }
  }
}

function pathTo({ name, workspaceId }: DefinitionKey): string {
  const query = workspaceId === undefined ? '' : `?workspaceId=${encodeURIComponent(workspaceId)}`
  return `/api/agents/${encodeURIComponent(name)}${query}`
}
