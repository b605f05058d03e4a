import { type LanguageModel, wrapLanguageModel } from 'ai'

/** The same model, which is not told about some of the tools. A call of one of them is still carried out. */
export function hideTools(model: LanguageModel, names: ReadonlySet<string>): LanguageModel {
  // A model that is only a name is looked up by the AI SDK later, so there is nothing to wrap yet.
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
