import { WorkflowChatTransport } from '@ai-sdk/workflow/client'
import type { UIMessage } from 'ai'

export { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'

interface TransportOptions {
  /** The address of `/api/chat`, with the query string that chooses the form. */
  readonly api: string
  readonly fetch: typeof fetch
  readonly onChatEnd?: (end: { readonly chunkIndex: number }) => void
}

/**
 * The transport as docs/wire-forms.md says. By itself it sends neither the id of the chat nor the content type, so
 * `prepareSendMessagesRequest` adds them.
 */
export function workflowTransport(options: TransportOptions): WorkflowChatTransport<UIMessage> {
  return new WorkflowChatTransport({
    ...options,
    // By default it gives up after three broken streams in a row, although each of them brought something.
    maxConsecutiveErrors: 1_000,
    prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
      headers: { 'content-type': 'application/json' },
      body: { id, messages, trigger, messageId, ...body },
    }),
  })
}
