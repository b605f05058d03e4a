import type { Agent, Limits } from '@throughline/agents'
import { type ModelSpec, modelName, modelWithParams } from '@throughline/agents/internal'

type LanguageModel = NonNullable<Agent['model']>

/** Names a model, without parameters. */
export type ModelAddress = Pick<ModelSpec, 'provider' | 'modelId'>

/** The models that definitions of users choose from: the server's own and those that are offered. There are no others. */
export class DefinableModels {
  readonly #models: ReadonlyMap<string, LanguageModel>
  /** The upper bound of `maxOutputTokens`. */
  readonly maxOutputTokens: number

  constructor(models: Iterable<LanguageModel>, { maxDefinedOutputTokens }: Limits) {
    this.#models = new Map(Array.from(models, model => [nameOf(addressOf(model)), model]))
    this.maxOutputTokens = maxDefinedOutputTokens
  }

  get addresses(): readonly ModelAddress[] {
    return Array.from(this.#models.values(), addressOf)
  }

  /**
   * Returns the model of a definition, with its parameters; `undefined` when it is not offered. A definition that was saved
   * under a larger limit gets no more output than the limit of today.
   */
  find({ params, ...address }: ModelSpec): LanguageModel | undefined {
    const model = this.#models.get(nameOf(address))
    if (model === undefined || params === undefined) return model
    const { maxOutputTokens } = params
    return modelWithParams(model, {
      ...params,
      ...(maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: Math.min(maxOutputTokens, this.maxOutputTokens) }),
    })
  }
}

/** Returns what a definition writes to choose a model. */
function addressOf(model: LanguageModel): ModelAddress {
  const name = modelName(model)
  const colon = name.indexOf(':')
  // A text without a provider names a model of the AI SDK's default provider, which is the gateway.
  if (colon === -1) return { provider: 'gateway', modelId: name }
  return { provider: name.slice(0, colon), modelId: name.slice(colon + 1) }
}

function nameOf({ provider, modelId }: ModelAddress): string {
  return `${provider}:${modelId}`
}
