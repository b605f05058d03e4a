import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isStepCount, type LanguageModel, streamText, type TextStreamPart, tool } from 'ai'
import { z } from 'zod'

const apiKey = 'not-a-key'
/** A model of each provider, by name. Each is made for the address of a recorded provider. */
export const models = {
  'openai chat': baseURL => createOpenAI({ baseURL, apiKey }).chat('gpt-recorded'),
  'openai responses': baseURL => createOpenAI({ baseURL, apiKey }).responses('gpt-recorded'),
  'openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'recorded', baseURL, apiKey }).chatModel('recorded'),
  anthropic: baseURL => createAnthropic({ baseURL, apiKey })('claude-recorded'),
  google: baseURL => createGoogle({ baseURL, apiKey })('gemini-recorded'),
} satisfies Record<string, (baseURL: string) => LanguageModel>
export type ModelName = keyof typeof models

export const weatherResult = 'the sun shines on Lisbon'
/** The tools that the recorded models call. */
export const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => weatherResult }),
  calculator: tool({ inputSchema: z.object({ expression: z.string() }), execute: async () => 42 }),
}
export type Part = TextStreamPart<typeof tools>

interface ConverseOptions {
  readonly maxRetries?: number
  readonly abortSignal?: AbortSignal
  /** Is called with the first text delta. */
  readonly onText?: () => void | PromiseLike<void>
}

/** Runs `streamText` against the provider at `url`. Returns every part, and what the stream threw. */
export async function converse(model: ModelName, url: string, options: ConverseOptions = {}) {
  const { maxRetries = 0, abortSignal, onText } = options
  const result = streamText({
    model: models[model](url),
    prompt: 'How is the weather in Lisbon?',
    maxOutputTokens: 512,
    tools,
    stopWhen: isStepCount(3),
    maxRetries,
    ...(abortSignal && { abortSignal }),
    onError: () => undefined, // The default prints what the tests look at anyway.
  })
  const parts: Part[] = []
  const thrown: unknown[] = []
  try {
    for await (const part of result.stream) {
      const isFirstText = part.type === 'text-delta' && parts.every(({ type }) => type !== 'text-delta')
      parts.push(part)
      if (isFirstText) await onText?.()
    }
  } catch (error) {
    thrown.push(error) // Which way an error takes is what the tests assert.
  }
  return { result, parts, thrown }
}

/**
 * Returns one line per part. Equal lines in a row are written once. `~` stands for an id that `ai` made, because the
 * provider's own id was already in use.
 */
export function outline(parts: readonly Part[]): readonly string[] {
  return parts.map(describePart).filter((line, index, lines) => line !== lines[index - 1])
}

function describePart(part: Part): string {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return `${part.type} ${part.id.startsWith('aitxt-') ? '~' : part.id}`
    case 'finish-step':
    case 'finish':
      return `${part.type} ${part.finishReason}`
    case 'custom':
      return `${part.type} ${part.kind}`
    default:
      return part.type
  }
}

export function errorsOf(parts: readonly Part[]): readonly unknown[] {
  return parts.flatMap(part => (part.type === 'error' ? [part.error] : []))
}
