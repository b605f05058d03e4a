import type { QueryModelUsage, QueryUsage, Usage } from '@throughline/protocol'

/**
 * Returns an answer's usage in the fields of the event API. Clients calculate with the costs, so these are always numbers;
 * `cost_known` says whether they are the whole cost. An answer without usage has zero tokens and no known cost: it called no
 * model, or a crash cut it off.
 */
export function queryUsage(usage: Usage | undefined): QueryUsage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, cost = null, byModel = {} } = usage ?? {}
  const models = Object.entries(byModel).map(([model, used]): QueryModelUsage => {
    return {
      model,
      prompt_tokens: used.inputTokens,
      completion_tokens: used.outputTokens,
      total_tokens: used.totalTokens,
      cost: used.cost ?? 0,
      cost_known: used.cost != null,
      invocations: used.calls,
    }
  })
  return {
    total_tokens: totalTokens,
    total_prompt_tokens: inputTokens,
    total_completion_tokens: outputTokens,
    total_cost: cost ?? models.reduce((sum, each) => sum + each.cost, 0),
    cost_known: cost !== null,
    by_model: Object.fromEntries(models.map(each => [each.model, each])),
  }
}
