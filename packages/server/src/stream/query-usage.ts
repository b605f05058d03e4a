import type { Usage } from '@throughline/protocol/metadata'
import type { QueryModelUsage, QueryUsage } from '@throughline/protocol/query-event'

/** What an answer used, as the event API tells it. Nothing is known of an answer that called no model: zeros. */
export function queryUsage(usage: Usage | undefined): QueryUsage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, cost, byModel = {} } = usage ?? {}
  const models = Object.entries(byModel).map(([model, used]): QueryModelUsage => {
    return {
      model,
      prompt_tokens: used.inputTokens,
      completion_tokens: used.outputTokens,
      total_tokens: used.totalTokens,
      cost: used.cost ?? 0,
      invocations: used.calls,
    }
  })
  return {
    total_tokens: totalTokens,
    total_prompt_tokens: inputTokens,
    total_completion_tokens: outputTokens,
    // Without a price for every model there is no cost of the whole: what is known is the least it can be.
    total_cost: cost ?? models.reduce((total, each) => total + each.cost, 0),
    by_model: Object.fromEntries(models.map(each => [each.model, each])),
  }
}
