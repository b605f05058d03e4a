import { bodyPieces } from './body-pieces.ts'
import { callBack } from './call-back.ts'
import { ChatError } from './chat-error.ts'
import { postJson, type RequestOptions } from './post-json.ts'
import { createQueryReader, type ReadEvent } from './query-reader.ts'
import { watchStall } from './watch-stall.ts'

/** What is asked. The ids make a second request the same question: the server answers it once. */
export interface Question {
  readonly message: string
  readonly session_id: string
  readonly message_id: string
  /** The answer that has begun to come: from then on, this one is asked for and no other. */
  readonly answer_id?: string | undefined
  readonly agent?: string | undefined
  readonly onBusy?: string | undefined
}

export interface ConnectionOptions extends RequestOptions {
  readonly signal: AbortSignal
  readonly level?: 'delta' | 'step' | undefined
  readonly idleMs?: number | undefined
  readonly onRaw?: ((line: string) => void) | undefined
}

export type FromConnection =
  /** The server answers, and tells its ids if it has any. */
  | {
      readonly type: 'head'
      readonly session_id: string | undefined
      readonly answer_id: string | undefined
    }
  | ({ readonly type: 'event' } & ReadEvent)
  /** The server has said that nothing more will come. */
  | { readonly type: 'done' }

/** Asks once, and yields what comes, from the answer's start. Ends with `done`, or by throwing how it broke. */
export async function* connectQuery(
  question: Question,
  options: ConnectionOptions,
): AsyncGenerator<FromConnection, void, undefined> {
  const { level, idleMs = 60_000, onRaw } = options
  const watch = watchStall(options.signal, idleMs)
  const reader = createQueryReader(line => callBack(onRaw, line))
  try {
    const path = level === 'step' ? '/agent/query-stream' : '/agent/query-stream-delta'
    const { body, headers } = await postJson(path, question, { ...options, signal: watch.signal })
    const type = headers.get('content-type') ?? ''
    if (body === null || (type !== '' && !type.includes('text/event-stream'))) throw noEvents(type)
    const id = (name: string) => headers.get(`x-${name}-id`) ?? undefined
    yield { type: 'head', session_id: id('session'), answer_id: id('answer') }
    const decoder = new TextDecoder()
    for await (const bytes of bodyPieces(body)) {
      watch.restart()
      for (const event of reader.read(decoder.decode(bytes, { stream: true })))
        yield { type: 'event', ...event }
      if (reader.isDone) return yield { type: 'done' }
    }
    throw new ChatError('network', 'The connection ended.')
  } finally {
    watch.stop()
  }
}

function noEvents(type: string): ChatError {
  return new ChatError(
    'broken-stream',
    `The server answered with ${type || 'nothing'}, not with events. Check that "url" is the server's.`,
  )
}
