import type { Asked } from './checked-server.ts'

export type ChatRequest = { readonly path: string } & Asked

/**
 * Returns a request to each route of a chat. None of them asks an agent if it is not refused. Those that change most come
 * last.
 */
export function chatRequests(chatId: string, messageId: string): readonly ChatRequest[] {
  const chat = `/api/chats/${chatId}`
  const message = `${chat}/messages/${messageId}`
  return [
    { path: chat },
    { path: `${chat}/messages` },
    { path: `${chat}/branches` },
    { path: `${chat}/log` },
    { path: `${chat}/files/none` },
    { path: `/api/chat/${chatId}/stream` },
    { path: `/api/chat/${chatId}/stream?after=ffffffffffffffff.1` },
    { path: `/api/chat/${chatId}/stop`, body: {} },
    { path: chat, method: 'PATCH', body: { title: 'Conformance' } },
    {
      path: `${chat}/messages`,
      method: 'PATCH',
      body: { messages: [{ id: messageId, metadata: { seen: true } }] },
    },
    { path: `${message}/move`, body: { after: '' } },
    { path: message, method: 'DELETE' },
    { path: chat, method: 'DELETE' },
  ]
}
