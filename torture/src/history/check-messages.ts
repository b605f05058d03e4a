import { isDeepStrictEqual } from 'node:util'
import { emptyChat, messagesOf } from '@throughline/protocol/chat-state'
import type { Entry } from '@throughline/protocol/entry'
import { fold } from '@throughline/protocol/fold'
import type { Message } from '@throughline/protocol/message'
import type { Finding } from './history.ts'
import type { ReadHistory } from './read-history.ts'

/** C1: each message is there once. C3: the messages are what the log says, and no message is still being written. */
export function checkMessages({ entries, messages }: ReadHistory): readonly Finding[] {
  const findings: Finding[] = []
  const ids = new Set<string>()
  for (const { id, metadata } of messages) {
    if (ids.has(id))
      findings.push({ kind: 'doubled', invariant: 'C1', detail: `Message ${id} is there twice.` })
    ids.add(id)
    if (metadata?.status === 'streaming')
      findings.push({
        kind: 'left-running',
        invariant: 'D4',
        detail: `Message ${id} is still being written.`,
      })
  }
  return [...findings, ...compareWithLog(entries, messages)]
}

function compareWithLog(entries: readonly Entry[], messages: readonly Message[]): readonly Finding[] {
  const shown = messagesIn(entries)
  if (typeof shown === 'string') return [{ kind: 'wrong-bytes', invariant: 'C3', detail: shown }]
  if (isDeepStrictEqual(shown, messages)) return []
  const different = shown.findIndex((message, place) => !isDeepStrictEqual(message, messages[place]))
  const index = different === -1 ? shown.length : different
  const detail = `The log says ${textOf(shown[index])}, and saved is ${textOf(messages[index])}`
  return [{ kind: 'wrong-bytes', invariant: 'C3', detail }]
}

/** Returns the messages that a log makes, or in words why nobody can read it. */
function messagesIn(entries: readonly Entry[]): readonly Message[] | string {
  try {
    // What the server sends has gone through JSON, where fields with the value `undefined` are left out.
    return JSON.parse(JSON.stringify(messagesOf(entries.reduce(fold, emptyChat()))))
  } catch (error) {
    return `No page can show this log: ${error}`
  }
}

function textOf(message: unknown): string {
  return (JSON.stringify(message) ?? 'nothing').slice(0, 600)
}
