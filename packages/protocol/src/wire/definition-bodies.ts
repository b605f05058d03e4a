// What the routes for definitions and tools send to a page. Apart from the list of agents, because a page that shows a chat
// does not load them.

import { isString } from '../values/fields.ts'
import {
  type AnyAgent,
  anyAgent,
  areProblems,
  type DefinedModel,
  type DefinitionProblem,
  isDefinedModel,
  isTexts,
} from './agent-bodies.ts'
import { type BodyCheck, bodyCheck, isBoolean, isNumber, listOf, maybe } from './body-check.ts'

/** A definition as the server saves it: what `GET /api/agents/:name` and `PUT /api/agents/:name` return. */
export interface DefinitionBody extends Omit<AnyAgent, 'models'> {
  readonly workspaceId?: string | undefined
  readonly enabled: boolean
  readonly systemPrompt: string
  readonly model?: DefinedModel | undefined
  readonly pageIds: readonly string[]
  readonly id: string
  readonly version: number
  /** In ISO format. */
  readonly updatedAt: string
  readonly warnings: readonly DefinitionProblem[]
}

const { models: _, ...anyDefinition } = anyAgent

/** Returns whether a value is a definition as the server saves it. */
export const isDefinitionBody: BodyCheck<DefinitionBody> = bodyCheck<DefinitionBody>({
  ...anyDefinition,
  workspaceId: maybe(isString),
  enabled: isBoolean,
  systemPrompt: isString,
  model: maybe(isDefinedModel),
  pageIds: isTexts,
  id: isString,
  version: isNumber,
  updatedAt: isString,
  warnings: areProblems,
})

/** What the server returns for a definition that it does not save. */
export interface RefusedDefinition {
  readonly errors: readonly DefinitionProblem[]
}

/** Returns whether a value says what is wrong with a definition. */
export const isRefusedDefinition: BodyCheck<RefusedDefinition> = bodyCheck<RefusedDefinition>({
  errors: areProblems,
})

/** A tool that a definition can name. */
export interface ToolBody {
  readonly key: string
  readonly description?: string | undefined
  readonly needsApproval: boolean
}

/** What `GET /api/tools` returns. */
export interface ToolsBody {
  readonly tools: readonly ToolBody[]
}

/** Returns whether a value is what `GET /api/tools` returns. */
export const isToolsBody: BodyCheck<ToolsBody> = bodyCheck<ToolsBody>({
  tools: listOf(
    bodyCheck<ToolBody>({ key: isString, description: maybe(isString), needsApproval: isBoolean }),
  ),
})
