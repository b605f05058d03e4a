import { logName } from '@throughline/log'
import { type Chunk, type Entry, type EntryDraft, isChatId } from '@throughline/protocol'
import { ownerIdOf, type TestServer } from '../server/test-server.ts'
import { appendAtEnd } from './append-at-end.ts'
import { messageIdOf, runIdOf, userMessage } from './entries-of.ts'
import { idOf } from './id-of.ts'

export const longLogChat = idOf(isChatId, 'long')

/**
 * Creates a chat whose log has a number of entries: questions, and answers with 1,000 entries each. The entries are written
 * to the store itself, because a server joins the deltas of a fast agent.
 */
export async function longLog({ url, store }: TestServer, count: number): Promise<readonly Entry[]> {
  const created = await fetch(`${url}/api/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: longLogChat, title: 'A long log' }),
  })
  if (!created.ok) throw new Error(`The chat was not created: ${created.status}.`)
  const lease = await store.log.acquire(logName({ ownerId: ownerIdOf('local'), chatId: longLogChat }))
  const drafts = Array.from({ length: Math.ceil(count / 1_000) }, (_, turn) => turnOf(turn))
    .flat()
    .slice(0, count)
  return appendAtEnd(store.log, lease, drafts)
}

function turnOf(turn: number): readonly EntryDraft[] {
  const draft = (messageId: string, chunk: Chunk) => ({
    runId: runIdOf(`run-${turn}`),
    messageId: messageIdOf(messageId),
    chunk,
  })
  const question = `u${turn}`
  const answer: readonly Chunk[] = [
    { type: 'start', messageMetadata: { senderName: 'Ada', status: 'streaming' } },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    ...Array.from({ length: 994 }, (_, index) =>
      delta(`word ${turn * 1_000 + index}${index % 20 === 0 ? '.\n\n' : ' '}`),
    ),
    { type: 'text-end', id: 't' },
    { type: 'finish', messageMetadata: { status: 'finished' } },
  ]
  return [
    draft(question, userMessage(question, `Question ${turn}`)),
    ...answer.map(chunk => draft(`a${turn}`, chunk)),
  ]
}

function delta(text: string): Chunk {
  return { type: 'text-delta', id: 't', delta: text }
}
