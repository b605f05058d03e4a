import { type LanguageModel, wrapLanguageModel } from 'ai'

/** Returns the same model, but without telling it about some tools. When it calls one of them anyway, the tool runs. */
export function hideTools(model: LanguageModel, names: ReadonlySet<string>): LanguageModel {
  // The AI SDK looks up a model that is only a name later, so it cannot be wrapped here.
  if (names.size === 0 || typeof model === 'string') return model
  return wrapLanguageModel({
    model,
    middleware: {
      transformParams: async ({ params: { tools = [], ...params } }) => {
        const shown = tools.filter(({ name }) => !names.has(name))
        return shown.length === 0 ? params : { ...params, tools: shown }
      },
    },
  })
}
