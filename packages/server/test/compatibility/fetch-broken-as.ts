/** A `fetch` that says in other words than Node's when a connection breaks in the middle of an answer. */
export function fetchBrokenAs(createError: () => Error) {
  return async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    const reader = response.body?.getReader()
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        try {
          const next = await reader?.read()
          if (next?.value === undefined) controller.close()
          else controller.enqueue(next.value)
        } catch {
          controller.error(createError())
        }
      },
      cancel: reason => reader?.cancel(reason),
    })
    return new Response(response.status === 204 ? null : body, response)
  }
}
