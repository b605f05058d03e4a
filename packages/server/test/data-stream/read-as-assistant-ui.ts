import { AssistantMessageAccumulator, DataStreamDecoder, UIMessageStreamDecoder } from 'assistant-stream'

/** A stream as assistant-ui reads it: its message at the end. Throws on what it does not understand. */
export async function readAsAssistantUi(bytes: Uint8Array, form: 'data-stream' | 'chunks') {
  const decoder = form === 'data-stream' ? new DataStreamDecoder() : new UIMessageStreamDecoder()
  const messages = await Array.fromAsync(
    new Blob([Uint8Array.from(bytes)])
      .stream()
      .pipeThrough(decoder)
      .pipeThrough(new AssistantMessageAccumulator()),
  )
  const message = messages.at(-1)
  if (message === undefined) throw new Error('The stream brings no message.')
  return message
}
