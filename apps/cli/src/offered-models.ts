import type { Agent } from '@throughline/agents'
import { ModelSettingError, type ModelThread, modelName, modelNamed } from '@throughline/agents/internal'
import { refuse } from './config/checks.ts'
import type { Config } from './config.ts'

type LanguageModel = NonNullable<Agent['model']>
type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the models that people may choose besides the agent's own: those of the configuration, and those of
 * `THROUGHLINE_MODELS`. Throws when one of them cannot be used, or is there twice.
 */
export function offeredModels(
  { models = [] }: Config,
  env: Environment,
  thread?: ModelThread,
): readonly LanguageModel[] {
  const namedIn = (setting: string, name: string) => usable(name.trim(), { env, setting, thread })
  const fromEnv = (env['THROUGHLINE_MODELS'] ?? '').split(',').map(name => name.trim())
  const offered = [
    ...models.map(model => (typeof model === 'string' ? namedIn('models', model) : model)),
    ...fromEnv.filter(name => name !== '').map(name => namedIn('THROUGHLINE_MODELS', name)),
  ]
  const names = offered.map(modelName)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) refuse('models', `two of them are called "${twice}". Remove one.`)
  return offered
}

function usable(name: string, options: Parameters<typeof modelNamed>[1]): LanguageModel {
  const { setting } = options
  try {
    return modelNamed(name, options).model
  } catch (error) {
    if (!(error instanceof ModelSettingError) || error.setting === setting) throw error
    // The setting of a provider is missing or wrong. The model can also be removed from the list.
    const message = `${error.message} Or remove its models from ${setting}.`
    throw new ModelSettingError(error.code, error.setting, message)
  }
}
