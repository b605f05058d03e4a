import { agentNameRule, type DefinitionVersion, idRule, isAgentName, isId } from '@throughline/protocol'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { SubAgent } from '../delegation/base-agent.ts'
import { fillTemplate } from './prompt-template.ts'

const name = z.string().normalize('NFC').refine(isAgentName, `${agentNameRule}.`)
const id = z.string().refine(isId, `${idRule}.`)

/**
 * The parameters that a definition may give its model. Numbers only, so that none of them can be an address. The server may
 * allow fewer output tokens: `limits.maxDefinedOutputTokens`.
 */
const modelParamsSchema = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).max(1_000).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  seed: z.int().min(0).max(2_147_483_647).optional(),
})

// Some providers put the id into the path of a URL. It must not lead to another path.
const modelId = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_.:/@-]+$/, 'A model id has letters, digits and "_", ".", ":", "/", "@", "-" only.')
  .refine(id => !id.includes('..'), 'A model id has no ".." in it.')

const modelSpecSchema = z.strictObject({
  provider: z.string().min(1).max(64),
  modelId,
  params: modelParamsSchema.optional(),
})

/** The parameters of the model of an agent. */
export type ModelParams = z.infer<typeof modelParamsSchema>

/** Names the model of an agent, one of those that the server offers. Keys and addresses come from its settings only. */
export type ModelSpec = z.infer<typeof modelSpecSchema>

/**
 * What a person says about a sub-agent. It contains no code: tools and agents are chosen by name from those that exist. An
 * unknown field is refused.
 */
export const subAgentFieldsSchema = z.strictObject({
  /** Unique in its workspace. */
  name,
  /** Without it, the agent belongs to all workspaces of its owner. */
  workspaceId: id.optional(),
  displayName: z.string().trim().min(1).max(100).optional(),
  /** What it can do. Models read it when they choose an agent to delegate to. */
  description: z.string().trim().max(1_000).optional(),
  enabled: z.boolean().default(true),
  /** A template: see `prompt-template.ts`. */
  systemPrompt: z.string().trim().min(1).max(20_000),
  /** Without it, the agent runs on the model of its caller. */
  model: modelSpecSchema.optional(),
  toolKeys: z.array(z.string().min(1).max(128)).max(100).default([]),
  /** May contain agents that do not exist yet. */
  allowedSubAgents: z.array(name).max(100).default([]),
  maxDepth: z.int().min(0).max(100).optional(),
  maxSteps: z.int().min(1).max(1_000).optional(),
  /** The pages of the application on which it is there. Without any, it is there everywhere. */
  pageIds: z.array(id).max(100).default([]),
})
/** The fields of a definition that users can set. */
export type SubAgentFields = z.infer<typeof subAgentFieldsSchema>

/** The definition of a sub-agent as it is saved. */
export const subAgentDefinitionSchema = subAgentFieldsSchema.extend({
  id,
  /** Begins with 1. Every change adds 1. */
  version: z.int().min(1),
  updatedAt: z.string(),
})
/** A sub-agent that a user has defined, as it is saved. */
export type SubAgentDefinition = z.infer<typeof subAgentDefinitionSchema>

/** Returns the model that a definition names; `undefined` when this server does not offer it. */
export type FindModel = (spec: ModelSpec) => LanguageModel | undefined

/** A sub-agent from its definition in the database. */
export class DefinedSubAgent extends SubAgent {
  /** The name of its model, when the server does not offer that one any more. Then the agent cannot be asked. */
  readonly missingModel: string | undefined
  override readonly definition: DefinitionVersion

  constructor(definition: SubAgentDefinition, findModel: FindModel) {
    const { model: spec, enabled, systemPrompt, ...fields } = definition
    const model = spec && findModel(spec)
    const isMissing = spec !== undefined && model === undefined
    super({
      ...fields,
      model,
      // It must not run on another model.
      isEnabled: enabled && !isMissing,
      systemPrompt: frame => fillTemplate(systemPrompt, frame),
    })
    this.definition = { id: definition.id, version: definition.version }
    this.missingModel = isMissing && enabled ? `${spec.provider}:${spec.modelId}` : undefined
  }
}
