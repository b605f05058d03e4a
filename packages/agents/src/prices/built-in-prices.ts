import type { Price, Prices, Rates } from './price.ts'

// docs/guides/prices.md says where these prices come from, and when they were last compared with their sources.
// Each price is (input, cached input, output), in US dollars per million tokens.
const openai: Prices = {
  'openai:gpt-6.1-sol': openaiPrice(2, 0.1, 10),
  'openai:gpt-6.1-terra': openaiPrice(1, 0.05, 5),
  'openai:gpt-6-astra': openaiPrice(10, 1, 50),
  'openai:gpt-6-sol': openaiPrice(2, 0.2, 10),
  'openai:gpt-6-luna': openaiPrice(0.1, 0.01, 0.5),
  'openai:gpt-5.6': openaiPrice(4, 0.4, 20),
  'openai:gpt-5.6-sol': openaiPrice(4, 0.4, 20),
  'openai:gpt-5.6-terra': openaiPrice(2, 0.2, 12),
  'openai:gpt-5.6-luna': openaiPrice(0.2, 0.02, 1.2),
  'openai:gpt-5.5': openaiPrice(5, 0.5, 30),
  'openai:gpt-5.4': openaiPrice(2.5, 0.25, 15),
  'openai:gpt-5.4-mini': price(0.75, 0.075, 4.5),
  'openai:gpt-5.4-nano': price(0.2, 0.02, 1.25),
  'openai:gpt-5.2': price(1.75, 0.175, 14),
  'openai:gpt-5.1': price(1.25, 0.125, 10),
  'openai:gpt-5': price(1.25, 0.125, 10),
  'openai:gpt-5-mini': price(0.25, 0.025, 2),
  'openai:gpt-5-nano': price(0.05, 0.005, 0.4),
  'openai:gpt-4.1': price(2, 0.5, 8),
  'openai:gpt-4.1-mini': price(0.4, 0.1, 1.6),
  'openai:gpt-4.1-nano': price(0.1, 0.025, 0.4),
  'openai:gpt-4o': price(2.5, 1.25, 10),
  'openai:gpt-4o-mini': price(0.15, 0.075, 0.6),
  'openai:o3': price(2, 0.5, 8),
  'openai:o4-mini': price(1.1, 0.275, 4.4),
}

const anthropic: Prices = {
  'anthropic:claude-fable-5-2': price(8, 0.2, 40),
  'anthropic:claude-fable-5-1': price(10, 0.25, 50),
  'anthropic:claude-fable-5': price(10, 1, 50),
  'anthropic:claude-opus-5-5': price(4, 0.2, 20),
  'anthropic:claude-opus-5': price(5, 0.5, 25),
  'anthropic:claude-opus-4-8': price(5, 0.5, 25),
  'anthropic:claude-opus-4-7': price(5, 0.5, 25),
  'anthropic:claude-opus-4-6': price(5, 0.5, 25),
  'anthropic:claude-opus-4-5': price(5, 0.5, 25),
  'anthropic:claude-sonnet-5-5': price(2, 0.2, 10),
  'anthropic:claude-sonnet-5': price(2, 0.2, 10),
  'anthropic:claude-sonnet-4-6': price(3, 0.3, 15),
  'anthropic:claude-sonnet-4-5': longer(price(3, 0.3, 15), 200_000, price(6, 0.6, 22.5)),
  'anthropic:claude-haiku-5-5': longer(price(0.1, 0.01, 0.5), 100_000, price(0.5, 0.05, 2.5)),
  'anthropic:claude-haiku-4-5': price(1, 0.1, 5),
}

const google: Prices = {
  'google:gemini-4-argon': { ...price(2, 0.1, 10), later: { from: '2026-12-01', ...price(4, 0.2, 20) } },
  'google:gemini-3.8-flash': {
    ...price(0.75, 0.075, 3.75),
    later: { from: '2027-01-01', ...price(1.5, 0.15, 7.5) },
  },
  'google:gemini-3.5-flash': price(1.5, 0.15, 9),
  'google:gemini-3.5-flash-lite': price(0.3, 0.03, 2.5),
  'google:gemini-3.1-pro-preview': longer(price(2, 0.2, 12), 200_000, price(4, 0.4, 18)),
  'google:gemini-3.1-flash-lite': price(0.25, 0.025, 1.5),
  'google:gemini-3-flash-preview': price(0.5, 0.05, 3),
  'google:gemini-2.5-pro': longer(price(1.25, 0.125, 10), 200_000, price(2.5, 0.25, 15)),
  'google:gemini-2.5-flash': price(0.3, 0.03, 2.5),
  'google:gemini-2.5-flash-lite': price(0.1, 0.01, 0.4),
}

/** The list prices of current models. A price in the configuration takes the place of one of these. */
export const builtInPrices: Prices = { ...openai, ...anthropic, ...google }

function price(input: number, cachedInput: number, output: number): Rates {
  return { input, cachedInput, output }
}

function longer(rates: Rates, aboveInputTokens: number, long: Rates): Price {
  return { ...rates, long: { aboveInputTokens, ...long } }
}

/** OpenAI's newer models cost twice as much, and 1.5 times as much for output, when the input is long. */
function openaiPrice(input: number, cachedInput: number, output: number): Price {
  // In whole cents: 1.5 * 1.2 is not quite 1.8.
  const longOutput = Math.round(150 * output) / 100
  return longer(price(input, cachedInput, output), 272_000, price(2 * input, 2 * cachedInput, longOutput))
}
