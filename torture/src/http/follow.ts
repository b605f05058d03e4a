import { get } from 'node:http'

/** What ended a stream, seen by the viewer. */
export type StreamEnd = 'ended' | 'broken' | 'left' | 'silent' | 'refused'

export interface Following {
  /** The body so far, in latin1: one character is one byte. */
  readonly bytes: string
  readonly end: StreamEnd
}

export interface FollowingOptions {
  readonly path: string
  /** Called with the body so far. The viewer leaves when it returns true. */
  readonly isEnough?: (bytes: string) => boolean
  /** The viewer leaves after so many milliseconds without a byte. By default it waits. */
  readonly maxSilenceMs?: number
}

/** Opens a stream on a connection of its own, and reads it until it ends, breaks, is silent or has enough. */
export function follow(url: string, options: FollowingOptions): Promise<Following> {
  const { path, isEnough = () => false, maxSilenceMs } = options
  const { promise, resolve } = Promise.withResolvers<Following>()
  let bytes = ''
  const sent = get(`${url}${path}`, { agent: false }, response => {
    if (response.statusCode !== 200) return leave('refused')
    response.setEncoding('latin1')
    response.on('data', (piece: string) => {
      bytes += piece
      if (isEnough(bytes)) leave('left')
    })
    response.on('end', () => leave('ended'))
    response.on('error', () => leave('broken'))
    response.on('close', () => leave('broken'))
  })
  function leave(end: StreamEnd): void {
    resolve({ bytes, end })
    sent.destroy()
  }
  sent.on('error', () => leave('broken'))
  if (maxSilenceMs !== undefined) sent.setTimeout(maxSilenceMs, () => leave('silent'))
  return promise
}
