import { SseRecorder } from '@throughline/protocol/history'
import type { Http2Client, Http2Response } from '@throughline/testing/proxies/http2-client'

/** Reads a response as it arrives. Disposing closes it. */
export interface ReadThrough extends AsyncDisposable {
  /** Resolves with everything so far when the text has come `times` times. */
  until(text: string, times?: number): Promise<string>
}

export function readThrough({ body }: Http2Response): ReadThrough {
  const pieces = body[Symbol.asyncIterator]()
  let seen = ''
  return {
    async until(text, times = 1) {
      while (seen.split(text).length <= times) {
        const { value, done } = await pieces.next()
        if (done === true) throw new Error(`The stream has ended without "${text}": ${seen}`)
        seen += value
      }
      return seen
    },
    [Symbol.asyncDispose]: async () => void (await pieces.return?.()),
  }
}

/** A viewer of a chat. */
export interface Viewer {
  /** The ids and the data of the entries that it has seen, in the order in which they came. */
  readonly entries: readonly string[]
  /** How often its stream was cut, and the viewer came back. */
  cutCount(): number
  /** Resolves when an entry contains the text. */
  until(text: string): Promise<void>
}

/**
 * Follows the log of a chat. When the stream is cut, asks for what comes after the last entry, as our client does.
 */
export function watchChat(client: Http2Client, chatId: string): Viewer {
  const entries: string[] = []
  let cutCount = 0
  const coming = follow()

  async function* follow(): AsyncGenerator<void, never> {
    while (true) {
      const last = entries.at(-1)?.split(' ')[0]
      const after = last === undefined ? '' : `?after=${last}`
      const response = await client.get(`/api/chats/${chatId}/log${after}`).catch(() => undefined)
      if (response?.status !== 200) continue
      const recorder = new SseRecorder()
      try {
        for await (const piece of response.body) {
          const seen = recorder.events.length
          recorder.push(Buffer.from(piece))
          for (const { id, data } of recorder.events.slice(seen))
            if (id !== undefined) entries.push(`${id} ${data}`)
          yield
        }
      } catch {
        // The proxy has reset the stream because the node behind it is gone.
      }
      cutCount += 1
    }
  }

  return {
    entries,
    cutCount: () => cutCount,
    async until(text) {
      while (!entries.some(entry => entry.includes(text))) await coming.next()
    },
  }
}
