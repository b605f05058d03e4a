import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Environment, httpProviders, type NamedModel } from '../provider-models.ts'

/** How many models are remembered: definitions can name any. */
const maxModels = 100

/** Makes each model once: its first answer costs more, because the schemas of its parts are compiled. */
export class MadeModels {
  readonly #env: Environment
  readonly #models = new Map<string, LanguageModelV4>()

  constructor(env: Environment) {
    this.#env = env
  }

  at({ provider, modelId }: NamedModel): LanguageModelV4 {
    const name = `${provider}:${modelId}`
    const model = this.#models.get(name) ?? httpProviders.get(provider)?.(modelId, this.#env)
    // The owner has made the same model.
    if (model === undefined) throw new Error(`There is no provider "${provider}".`)
    if (this.#models.size >= maxModels) this.#models.clear()
    this.#models.set(name, model)
    return model
  }
}
