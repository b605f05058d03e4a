import { setTimeout as pause } from 'node:timers/promises'
import { isRecord, type Message } from '@throughline/protocol'
import type { Reply } from '@throughline/testing/http/http-client'
import type { ClusterNode } from './node-cluster.ts'

interface IdleOptions {
  /** Returns the node to ask next. */
  readonly node: () => Pick<ClusterNode, 'client'>
  /** In milliseconds since 1970. */
  readonly until: number
}

/**
 * Waits until no message of a chat is being written. Returns its messages, none if there is no such chat, or `undefined` when
 * something is still written after the given time.
 */
export async function untilIdle(
  chatId: string,
  { node, until }: IdleOptions,
): Promise<readonly Message[] | undefined> {
  for (;;) {
    const messages = messagesIn(await node().client.get(`/api/chats/${chatId}/messages?branches=all`))
    if (messages !== undefined && !messages.some(isStreaming)) return messages
    if (Date.now() >= until) return undefined
    await pause(200)
  }
}

function messagesIn(reply: Reply): readonly Message[] | undefined {
  if (reply.type === 'broken') return undefined
  if (reply.status === 404) return []
  const body: unknown = reply.status === 200 ? JSON.parse(reply.body) : undefined
  return isRecord(body) && Array.isArray(body['messages']) ? body['messages'] : undefined
}

function isStreaming({ metadata }: Message): boolean {
  return metadata?.status === 'streaming'
}
