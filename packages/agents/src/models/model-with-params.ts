import { defaultSettingsMiddleware, gateway, type LanguageModel, wrapLanguageModel } from 'ai'
import type { ModelParams } from '../definitions/sub-agent-definition.ts'

/** Returns a model that asks with these parameters, unless a call has its own. */
export function modelWithParams(model: LanguageModel, params: ModelParams): LanguageModel {
  // A text names a model of the AI SDK's default provider. The SDK would look it up in the same way.
  const found =
    typeof model === 'string' ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model) : model
  return wrapLanguageModel({ model: found, middleware: defaultSettingsMiddleware({ settings: params }) })
}
