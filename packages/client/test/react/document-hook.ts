import { isRecord } from '@throughline/protocol'
import { useCallback, useRef, useState } from 'react'

// Test only: a page of somebody else. It does what the React hook and the function in plain JavaScript of the event API's
// first description do, with their habits: they ask for nothing but `message` and `session_id`, read the body line by
// line, keep no half line for the next chunk, do not look at the status, and only close the connection to stop.

export interface DocumentEvent extends Readonly<Record<string, unknown>> {
  readonly type?: unknown
}

/** Reads a response as these clients do. */
async function readEvents(response: Response, onEvent: (event: DocumentEvent) => void): Promise<void> {
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error('No reader')
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const line of decoder.decode(value, { stream: true }).split('\n')) {
      if (!line.startsWith('data: ')) continue
      const event: unknown = JSON.parse(line.slice(6))
      if (isRecord(event)) onEvent(event)
    }
  }
}

function ask(url: string, message: string, sessionId: string | null | undefined, signal?: AbortSignal) {
  return fetch(`${url}/agent/query-stream-delta`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message, session_id: sessionId }),
    signal: signal ?? null,
  })
}

/** The function in plain JavaScript. Resolves to the full text. */
export async function queryDocumentAgent(
  url: string,
  message: string,
  onEvent: (event: DocumentEvent, full: string) => void,
): Promise<string> {
  let full = ''
  await readEvents(await ask(url, message, null), event => {
    if (event.type === 'text_delta') full += String(event['delta'])
    if (event.type === 'final') full = String(event['content'])
    onEvent(event, full)
  })
  return full
}

/** The React hook. */
export function useDocumentStream(url: string) {
  const [response, setResponse] = useState('')
  const [isStreaming, setIsStreaming] = useState(false)
  const [toolCalls, setToolCalls] = useState<readonly DocumentEvent[]>([])
  const [errors, setErrors] = useState<readonly unknown[]>([])
  const controller = useRef<AbortController | null>(null)

  const streamQuery = useCallback(
    async (message: string, sessionId?: string) => {
      controller.current?.abort()
      controller.current = new AbortController()
      setIsStreaming(true)
      setResponse('')
      setToolCalls([])
      let buffer = ''
      try {
        await readEvents(await ask(url, message, sessionId, controller.current.signal), event => {
          switch (event.type) {
            case 'text_delta':
              buffer += String(event['delta'])
              return setResponse(buffer)
            case 'final':
              setResponse(String(event['content']))
              return setIsStreaming(false)
            case 'error':
              setErrors(before => [...before, event['error']])
              return setIsStreaming(false)
            case 'usage':
              return
            default:
              return setToolCalls(before => [...before, event])
          }
        })
      } catch (error) {
        if (!(error instanceof Error && error.name === 'AbortError')) setErrors(before => [...before, error])
      } finally {
        setIsStreaming(false)
      }
    },
    [url],
  )
  const abort = useCallback(() => {
    controller.current?.abort()
    setIsStreaming(false)
  }, [])
  return { response, isStreaming, toolCalls, errors, streamQuery, abort }
}
