import type { ChunkOf, MessageMetadata } from '@throughline/protocol'

/** How an answer ended, in the words of OpenAI's interfaces. */
export type HowAnswerEnded =
  | { readonly type: 'completed' }
  /** The answer reached a limit, or a filter cut it off. */
  | { readonly type: 'incomplete'; readonly reason: 'length' | 'content_filter' }
  /** Somebody stopped it. */
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly message: string }

/** Returns how an answer ended. `metadata` is that of the whole answer, with what its last chunk says. */
export function answerEnd(
  chunk: ChunkOf<'finish' | 'abort' | 'error'>,
  { status, statusText }: MessageMetadata,
): HowAnswerEnded {
  switch (chunk.type) {
    case 'finish':
      if (chunk.finishReason === 'length') return { type: 'incomplete', reason: 'length' }
      if (chunk.finishReason === 'content-filter') return { type: 'incomplete', reason: 'content_filter' }
      return { type: 'completed' }
    case 'error':
      return { type: 'failed', message: chunk.errorText }
    case 'abort':
      if (status === 'limit') return { type: 'incomplete', reason: 'length' }
      if (status !== 'interrupted') return { type: 'cancelled' }
      return { type: 'failed', message: statusText ?? chunk.reason ?? 'The answer was interrupted.' }
  }
}
