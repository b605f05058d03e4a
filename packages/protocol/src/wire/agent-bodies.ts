// What the list of agents sends to a page.

import { isRecord, isString } from '../values/fields.ts'
import { type BodyCheck, bodyCheck, isBoolean, isNumber, listOf, maybe, oneOf } from './body-check.ts'

/** What the server says of every agent. */
export interface AnyAgent {
  readonly name: string
  readonly displayName: string
  readonly description?: string | undefined
  /** The names of the models that the person may choose, its own first. Missing when there is no choice. */
  readonly models?: readonly string[] | undefined
  /** `*` means every tool. */
  readonly toolKeys: readonly string[]
  /** The names of the agents that it may delegate to. `*` means every agent. */
  readonly allowedSubAgents: readonly string[]
  readonly maxDepth?: number | undefined
  readonly maxSteps?: number | undefined
}

/** An agent in code that people can talk to. */
export interface MasterBody extends AnyAgent {
  /** What a person may ask it, to begin with. */
  readonly examples?: readonly string[] | undefined
  /** The name of its model, such as `openai:gpt-5`. Missing when it is not known. */
  readonly model?: string | undefined
}

/** An agent that others delegate to: one in code, or one that a person has defined. */
export interface SubAgentBody extends AnyAgent {
  readonly source: 'code' | 'database'
  readonly enabled: boolean
  /** The name of the model of an agent in code, or what a definition names. Missing when it runs on its caller's. */
  readonly model?: string | DefinedModel | undefined
  /** Only a definition can belong to one workspace. */
  readonly workspaceId?: string | undefined
  /** Only for a definition: the pages of the application on which it is there; everywhere when there are none. */
  readonly pageIds?: readonly string[] | undefined
  /** Only for a definition: whether people can send it messages. */
  readonly answersPeople?: boolean | undefined
  /** Only for a definition. */
  readonly warnings?: readonly DefinitionProblem[] | undefined
}

/** Names a model that an agent can be defined with. */
export interface ModelId {
  readonly provider: string
  readonly modelId: string
}

/** The model of a definition, with its settings. */
export interface DefinedModel extends ModelId {
  readonly params?: Readonly<Record<string, number | undefined>> | undefined
}

/** What is wrong with one field of a definition. */
export interface DefinitionProblem {
  readonly code: string
  readonly field: string
  readonly message: string
}

/** The models that people define agents with. */
export interface DefinableModels {
  readonly models: readonly ModelId[]
  /** The upper bound of the parameter `maxOutputTokens`. */
  readonly maxOutputTokens: number
}

/** What `GET /api/agents` returns. */
export interface AgentsBody {
  /** The agents in code that the person can talk to. The first one answers when nobody chooses. */
  readonly agents: readonly MasterBody[]
  readonly subAgents: readonly SubAgentBody[]
  /** The names of the variables that a prompt can have. */
  readonly promptVariables: readonly string[]
  readonly definable: DefinableModels
}

/** Returns whether a value is a list of texts. */
export const isTexts = listOf(isString)

/** The checks of `AnyAgent`. */
export const anyAgent = {
  name: isString,
  displayName: isString,
  description: maybe(isString),
  models: maybe(isTexts),
  toolKeys: isTexts,
  allowedSubAgents: isTexts,
  maxDepth: maybe(isNumber),
  maxSteps: maybe(isNumber),
}

const isModelId = bodyCheck<ModelId>({ provider: isString, modelId: isString })

/** Returns whether a value names the model of a definition. */
export const isDefinedModel = bodyCheck<DefinedModel>({
  provider: isString,
  modelId: isString,
  params: maybe(areParams),
})

function areParams(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every(isNumber)
}

/** Returns whether a value says what is wrong with a definition. */
export const areProblems = listOf(
  bodyCheck<DefinitionProblem>({ code: isString, field: isString, message: isString }),
)

const isMaster = bodyCheck<MasterBody>({ ...anyAgent, examples: maybe(isTexts), model: maybe(isString) })

const isSubAgent = bodyCheck<SubAgentBody>({
  ...anyAgent,
  source: oneOf('code', 'database'),
  enabled: isBoolean,
  model: (value): value is SubAgentBody['model'] =>
    value === undefined || isString(value) || isDefinedModel(value),
  workspaceId: maybe(isString),
  pageIds: maybe(isTexts),
  answersPeople: maybe(isBoolean),
  warnings: maybe(areProblems),
})

/** Returns whether a value is what `GET /api/agents` returns. */
export const isAgentsBody: BodyCheck<AgentsBody> = bodyCheck<AgentsBody>({
  agents: listOf(isMaster),
  subAgents: listOf(isSubAgent),
  promptVariables: isTexts,
  definable: bodyCheck<DefinableModels>({ models: listOf(isModelId), maxOutputTokens: isNumber }),
})
