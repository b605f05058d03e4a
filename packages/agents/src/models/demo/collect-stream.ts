import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

/** Reads a model's stream to its end, and returns what a call without streaming would return. */
export async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  // The deltas of a part are joined once, at its end. The part keeps the index at which it started.
  const open = new Map<string, { readonly index: number; readonly deltas: string[] }>()
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        open.set(part.id, { index: content.length, deltas: [] })
        content.push({ type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' })
        break
      case 'text-delta':
      case 'reasoning-delta':
        open.get(part.id)?.deltas.push(part.delta)
        break
      case 'text-end':
      case 'reasoning-end': {
        const ended = open.get(part.id)
        if (ended === undefined) break
        const type = part.type === 'text-end' ? 'text' : 'reasoning'
        content[ended.index] = { type, text: ended.deltas.join('') }
        break
      }
      case 'tool-call':
      case 'source':
        content.push(part)
        break
      case 'error':
        throw part.error
      case 'finish':
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
    }
  }
  throw new Error('The model stream ended without a finish part. A provider must always send one.')
}
