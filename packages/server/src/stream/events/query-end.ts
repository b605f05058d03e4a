import type { ChunkOf, EndStatus, MessageMetadata } from '@throughline/protocol'

/** How an answer ended, in the fields of the event API. */
export interface QueryEnd {
  /** `empty`: the answer finished without text. A client that reads only the text has to be told. */
  readonly status: EndStatus | 'empty'
  /** Details about the end, in words for a person. */
  readonly status_text?: string
  /** Why the answer is not complete, in words for a person. Only when it failed or was interrupted. */
  readonly error?: string
}

/** Returns how an answer ended. `metadata` is that of the whole answer, with what its last chunk says. */
export function queryEnd(
  chunk: ChunkOf<'finish' | 'abort' | 'error'>,
  { status, statusText, isEmpty }: MessageMetadata,
): QueryEnd {
  const details = statusText === undefined ? {} : { status_text: statusText }
  switch (chunk.type) {
    case 'finish':
      return { status: isEmpty === true ? 'empty' : 'finished', ...details }
    case 'error':
      return { status: 'failed', error: chunk.errorText }
    case 'abort':
      if (status === 'limit') return { status, ...details }
      if (status !== 'interrupted') return { status: 'stopped', ...details }
      return { status, error: statusText ?? chunk.reason ?? 'The answer was interrupted.' }
  }
}
