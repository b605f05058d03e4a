import type { AgentChat } from '@throughline/client/react'

/** What those need to know of a chat who show what waits in it. */
export type ChatActivity = Pick<
  AgentChat,
  'status' | 'messages' | 'queued' | 'unsent' | 'connection' | 'discard' | 'stop'
>
