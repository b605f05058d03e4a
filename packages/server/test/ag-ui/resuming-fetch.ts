type Body = ReadableStream<Uint8Array<ArrayBuffer>>

/**
 * A `fetch` for AG-UI's `HttpAgent` that comes back by itself. When a body breaks off, it sends the same request again
 * with the id of the last whole event, and goes on with the events after that. The reader notices nothing.
 *
 * `retryMs`: how long it waits before it comes back. It throws what the server says against coming back.
 */
export function resumingFetch(retryMs = 1_000, send: typeof fetch = fetch): typeof fetch {
  return async (url, init) => {
    const first = await send(url, init)
    if (!first.ok || first.body === null) return first
    const events = wholeEvents(first.body, async lastEventId => {
      await new Promise(resolve => setTimeout(resolve, retryMs))
      const headers = new Headers(init?.headers)
      if (lastEventId !== undefined) headers.set('last-event-id', lastEventId)
      const next = await send(url, { ...init, headers })
      if (next.ok && next.body !== null) return next.body
      throw new Error(`The run cannot be continued: ${next.status} ${await next.text()}`)
    })
    return new Response(bodyOf(events), first)
  }
}

/** The whole events of a body, and after a cut those of the next one. Half an event comes again, so it is dropped. */
async function* wholeEvents(
  body: Body,
  comeBack: (lastEventId: string | undefined) => Promise<Body>,
): AsyncGenerator<string, void, undefined> {
  let lastEventId: string | undefined
  for (let reader = body.getReader(), rest = '', decoder = new TextDecoder(); ; ) {
    // A reader that aborts on purpose does not want to come back.
    const next = await reader.read().catch((error: unknown) => (isAbort(error) ? { error } : undefined))
    if (next === undefined) {
      reader = (await comeBack(lastEventId)).getReader()
      rest = ''
      decoder = new TextDecoder()
      continue
    }
    if ('error' in next) throw next.error
    if (next.value === undefined) return
    const events = (rest + decoder.decode(next.value, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? lastEventId
      yield `${event}\n\n`
    }
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

function bodyOf(events: AsyncGenerator<string, void, undefined>): Body {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value } = await events.next()
      if (value === undefined) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await events.return()
    },
  })
}
