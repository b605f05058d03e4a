import type { LanguageModelV4 } from '@ai-sdk/provider'
import { defaultSettingsMiddleware, gateway, type LanguageModel, wrapLanguageModel } from 'ai'
import type { ModelParams } from './definitions/sub-agent-definition.ts'
import { createDemoModel } from './demo/demo-model.ts'
import {
  type Environment,
  httpProviders,
  ModelSettingError,
  type NamedModel,
  setting,
} from './models/provider-models.ts'
import type { ModelThread } from './models/thread/model-thread.ts'

/** A model, and the name in the settings that chose it, such as "openai:gpt-5" or "demo". */
export type ModelChoice = { readonly name: string; readonly model: LanguageModel }

/**
 * Makes the model that `THROUGHLINE_MODEL` names; the demo model by default. With a thread, its answers are read there.
 * Throws when a setting is missing or wrong.
 */
export function modelFromEnv(env: Environment, thread?: ModelThread): ModelChoice {
  const name = setting(env, 'THROUGHLINE_MODEL') ?? 'demo'
  return modelNamed(name, { env, thread, setting: 'THROUGHLINE_MODEL' })
}

interface NamedModelOptions {
  readonly env: Environment
  /** Where the name stands, for messages. */
  readonly setting: string
  /** Reads the answers of the model, if there is one. */
  readonly thread?: ModelThread | undefined
}

/** Makes the model of a name such as "openai:gpt-5". Throws when the name or another setting is wrong, or a key is missing. */
export function modelNamed(name: string, { env, thread, setting: where }: NamedModelOptions): ModelChoice {
  if (name === 'demo') return { name, model: createDemoModel() }
  // Only the first colon separates. Other colons belong to the model's name: "openai-compatible:llama3.2:3b".
  const colon = name.indexOf(':')
  const provider = colon === -1 ? name : name.slice(0, colon)
  if (!httpProviders.has(provider)) throw unknownProvider(provider, where)
  const modelId = colon === -1 ? '' : name.slice(colon + 1).trim()
  if (modelId === '') {
    const message = `${where} names no model. Set it to "${provider}:" followed by the model's id.`
    throw new ModelSettingError('model-id-missing', where, message)
  }
  const model = httpModel({ provider, modelId }, env, thread)
  if (model === undefined) throw unknownProvider(provider, where)
  return { name: `${provider}:${modelId}`, model }
}

function httpModel(
  address: NamedModel,
  env: Environment,
  thread: ModelThread | undefined,
): LanguageModelV4 | undefined {
  const model = httpProviders.get(address.provider)?.(address.modelId, env)
  return model && (thread?.wrap(model, address) ?? model)
}

function unknownProvider(provider: string, where: string): ModelSettingError {
  const known = [...httpProviders.keys()].map(each => `"${each}:ID"`).join(', ')
  // It is shown only when it cannot be a key.
  const shown = /^[a-z-]{1,24}$/i.test(provider) ? `names "${provider}", which` : 'has a value that'
  const message = `${where} ${shown} is not a known provider. Set it to ${known} or "demo".`
  return new ModelSettingError('provider-unknown', where, message)
}

const names = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY',
  'BRAVE_SEARCH_API_KEY',
  'TAVILY_API_KEY',
]

/** Returns which keys of models and of the web search are set in an environment. Never their values. */
export function knownKeys(
  env: Readonly<Record<string, string | undefined>>,
): readonly { readonly name: string; readonly isSet: boolean }[] {
  return names.map(name => ({ name, isSet: (env[name] ?? '').trim() !== '' }))
}

/** Returns a model that asks with these parameters, unless a call has its own. */
export function modelWithParams(model: LanguageModel, params: ModelParams): LanguageModel {
  // A text names a model of the AI SDK's default provider. The SDK would look it up in the same way.
  const found =
    typeof model === 'string' ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model) : model
  return wrapLanguageModel({ model: found, middleware: defaultSettingsMiddleware({ settings: params }) })
}
