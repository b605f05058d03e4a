/** Returns the name of a model as usage and prices have it: `provider:model`. */
export function modelName(model: string | { readonly provider: string; readonly modelId: string }): string {
  if (typeof model === 'string') return model
  const [provider = model.provider] = model.provider.split('.')
  return `${provider}:${model.modelId}`
}
