import type { Script } from './delta-source.ts'

/** Asks a server to play a script in a new chat, as the AI SDK's client does. The response is the stream of the answer. */
export async function postScript(url: string, script: Script): Promise<Response> {
  const id = crypto.randomUUID()
  const message = { id: `${id}-question`, role: 'user', parts: [{ type: 'text', text: script }] }
  return fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, messages: [message], trigger: 'submit-message' }),
  })
}

/** Throws when the stream of an answer broke off. */
export function assertWhole(url: string, text: string): void {
  if (!text.endsWith('data: [DONE]\n\n')) throw new Error(`${url} broke off: ${text.slice(-200)}`)
}
