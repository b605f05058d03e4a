import { expect, test } from 'vitest'
import { finishReasonOf, modelNameIn, tokenCountsOf } from '../../src/langgraph/message-fields.ts'

test.each([
  [{ ls_provider: 'openai', ls_model_name: 'gpt-5' }, 'openai:gpt-5'],
  [{ ls_provider: 'google_genai', ls_model_name: 'gemini-3.8-flash' }, 'google:gemini-3.8-flash'],
  [{ model_provider: 'anthropic', model_name: 'claude' }, 'anthropic:claude'],
  [{ ls_model_name: 'local' }, 'local'],
  [{ ls_provider: 'openai' }, undefined],
  [undefined, undefined],
])('the metadata %j names the model %s', (metadata, name) => {
  expect(modelNameIn(metadata)).toBe(name)
})

test('usage has the tokens of reasoning and of the cache where the provider counts them', () => {
  expect(
    tokenCountsOf({
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_token_details: { cache_read: 4 },
      output_token_details: { reasoning: 3 },
    }),
  ).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4, reasoningTokens: 3 })
  expect(tokenCountsOf({ input_tokens: 10, output_tokens: -1 })).toEqual({
    inputTokens: 10,
    outputTokens: 0,
    totalTokens: 10,
  })
  expect(tokenCountsOf(undefined)).toBeUndefined()
})

test.each([
  [{ finish_reason: 'length' }, 'length'],
  [{ stop_reason: 'max_tokens' }, 'length'],
  [{ finishReason: 'MAX_TOKENS' }, 'length'],
  [{ finish_reason: 'content_filter' }, 'content-filter'],
  [{ stop_reason: 'end_turn' }, 'stop'],
  [undefined, 'stop'],
])('%j ends the answer with %s', (metadata, reason) => {
  expect(finishReasonOf(metadata)).toBe(reason)
})
