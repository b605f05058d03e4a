import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'

/** The settings of a server: environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A model as settings name it. */
export interface NamedModel {
  /** For example "openai". */
  readonly provider: string
  readonly modelId: string
}

/** What is wrong with the settings of the model. */
export type ModelSettingErrorCode =
  | 'provider-unknown'
  | 'model-id-missing'
  | 'key-missing'
  | 'key-malformed'
  | 'base-url-missing'
  | 'base-url-malformed'

/** A setting is missing or wrong. The message has no values, because a key may have been put into the wrong setting. */
export class ModelSettingError extends Error {
  readonly code: ModelSettingErrorCode
  /** The name of the environment variable. */
  readonly setting: string

  constructor(code: ModelSettingErrorCode, settingName: string, message: string) {
    super(message)
    this.name = 'ModelSettingError'
    this.code = code
    this.setting = settingName
  }
}

/**
 * Makes the models of each provider that settings can name. The functions throw a `ModelSettingError` when a setting of
 * the provider is missing or wrong.
 */
// Every provider gets its address here. Otherwise some of them would read process.env themselves.
export const httpProviders: ReadonlyMap<string, (modelId: string, env: Environment) => LanguageModelV4> =
  new Map([
    ['openai', (modelId, env) => openai(env).responses(modelId)],
    ['openai-chat', (modelId, env) => openai(env).chat(modelId)],
    [
      'anthropic',
      (modelId, env) =>
        createAnthropic({
          apiKey: requiredKey(env, 'ANTHROPIC_API_KEY'),
          baseURL: baseUrl(env, 'ANTHROPIC_BASE_URL') ?? 'https://api.anthropic.com/v1',
        }).languageModel(modelId),
    ],
    [
      'google',
      (modelId, env) =>
        createGoogle({
          apiKey: requiredKey(env, 'GOOGLE_GENERATIVE_AI_API_KEY'),
          baseURL:
            baseUrl(env, 'GOOGLE_GENERATIVE_AI_BASE_URL') ??
            'https://generativelanguage.googleapis.com/v1beta',
        }).languageModel(modelId),
    ],
    ['openai-compatible', openaiCompatible],
  ])

function openai(env: Environment) {
  return createOpenAI({
    apiKey: requiredKey(env, 'OPENAI_API_KEY'),
    baseURL: baseUrl(env, 'OPENAI_BASE_URL') ?? 'https://api.openai.com/v1',
  })
}

function openaiCompatible(modelId: string, env: Environment): LanguageModelV4 {
  const baseURL = baseUrl(env, 'OPENAI_COMPATIBLE_BASE_URL')
  if (baseURL === undefined) {
    const message =
      'OPENAI_COMPATIBLE_BASE_URL is not set. Set it to the address of the server, ' +
      'for example http://127.0.0.1:11434/v1 for Ollama on this machine.'
    throw new ModelSettingError('base-url-missing', 'OPENAI_COMPATIBLE_BASE_URL', message)
  }
  const apiKey = optionalKey(env, 'OPENAI_COMPATIBLE_API_KEY')
  const key = apiKey === undefined ? {} : { apiKey }
  // Without includeUsage these servers send no token counts in a stream.
  return createOpenAICompatible({ name: 'openai-compatible', baseURL, includeUsage: true, ...key }).chatModel(
    modelId,
  )
}

function requiredKey(env: Environment, name: string): string {
  const key = optionalKey(env, name)
  if (key !== undefined) return key
  const message = `${name} is not set. Set it to your key, or set THROUGHLINE_MODEL to "demo" to run without one.`
  throw new ModelSettingError('key-missing', name, message)
}

function optionalKey(env: Environment, name: string): string | undefined {
  const key = setting(env, name)
  // The HTTP client cannot send such a key, and it would put the key into its error message.
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key
  const message = `${name} contains spaces or characters that no key has. Copy the key again, without quotes around it.`
  throw new ModelSettingError('key-malformed', name, message)
}

function baseUrl(env: Environment, name: string): string | undefined {
  const text = setting(env, name)
  if (text === undefined) return undefined
  const problem = problemOf(URL.parse(text))
  if (problem === undefined) return text
  const message = `${name} ${problem}. Set it to an address such as https://example.com/v1, or remove it.`
  throw new ModelSettingError('base-url-malformed', name, message)
}

function problemOf(url: URL | null): string | undefined {
  if (url === null) return 'is not a URL'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is not an http or https URL'
  if (url.username !== '' || url.password !== '')
    return 'contains a user name or password, which cannot be sent'
  if (url.search !== '' || url.hash !== '') return 'has a "?" or "#" part, but paths are added to its end'
  return undefined
}

/** An empty value counts as none. That is what a line without a value means in an env file or a compose file. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
