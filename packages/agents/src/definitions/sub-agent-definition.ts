import { idRule, isId } from '@throughline/protocol/ids'
import { z } from 'zod'

const name = z.string().refine(isId, `${idRule}.`)

/** The settings a definition may give its model: numbers only, so nothing in it can reach another address. */
const modelParamsSchema = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).max(1_000).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  seed: z.int().min(0).max(2_147_483_647).optional(),
})

// Some providers put the id into the path of a URL: no id may lead to another path there.
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

/** Which model an agent runs on. Keys and addresses are the server's alone. */
export type ModelSpec = z.infer<typeof modelSpecSchema>

/**
 * What a person writes down about a sub-agent. There is nothing executable in it: tools and agents are
 * chosen by name from what there is in code, and an unknown field is refused.
 */
export const subAgentFieldsSchema = z.strictObject({
  /** Unique in its workspace. */
  name,
  /** Without one it belongs to all of its owner's workspaces. */
  workspaceId: name.optional(),
  displayName: z.string().trim().min(1).max(100).optional(),
  /** For the model that decides whom to ask. Without one it has the name to go by. */
  description: z.string().trim().max(1_000).optional(),
  enabled: z.boolean().default(true),
  /** A template: see `prompt-template.ts`. */
  systemPrompt: z.string().trim().min(1).max(20_000),
  /** Without one it runs on its caller's. */
  model: modelSpecSchema.optional(),
  toolKeys: z.array(z.string().min(1).max(128)).max(100).default([]),
  /** One that does not exist yet can be asked as soon as it does. */
  allowedSubAgents: z.array(name).max(100).default([]),
  maxDepth: z.int().min(0).max(100).optional(),
  maxSteps: z.int().min(1).max(1_000).optional(),
  /** The pages it belongs to, for whoever shows it. */
  pageIds: z.array(name).max(100).default([]),
})
export type SubAgentFields = z.infer<typeof subAgentFieldsSchema>

/** A sub-agent that is not in code, as it is saved. */
export const subAgentDefinitionSchema = subAgentFieldsSchema.extend({
  id: name,
  /** 1 at first, and one more with each change. */
  version: z.int().min(1),
  updatedAt: z.string(),
})
export type SubAgentDefinition = z.infer<typeof subAgentDefinitionSchema>
