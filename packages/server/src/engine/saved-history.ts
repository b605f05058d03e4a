import {
  findMessage,
  isMessageId,
  isRecord,
  type Message,
  type MessageChunk,
  type MessageId,
} from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { Run } from '@throughline/store'
import { z } from 'zod'
import type { RunLog } from './run-log.ts'

/** A message whose id was checked. */
export type SubmittedMessage = Message & { readonly id: MessageId }

const savedSchema = z.object({ history: z.array(z.custom<SubmittedMessage>(isMessage)) })

/** Returns messages that were written elsewhere as text, so that any process can write those that are not in the log yet. */
export function historyText(history: readonly SubmittedMessage[]): string {
  return JSON.stringify({ history: [...history] } satisfies z.input<typeof savedSchema>)
}

/** Returns the messages of a text; none when it is no such text. */
export function historyFrom(text: string | undefined): readonly SubmittedMessage[] {
  const { data } = savedSchema.safeParse(text === undefined ? undefined : parseJson(text))
  return data?.history ?? []
}

/** Emits those of the messages that the log does not have yet. They are in the log after the next `flush`. */
export async function emitHistory(
  runLog: RunLog,
  { id: runId }: Run,
  history: readonly SubmittedMessage[],
): Promise<void> {
  for (const message of history) {
    if (findMessage(runLog.chat, message.id) !== undefined) continue
    const chunk: MessageChunk = { type: 'data-message', id: message.id, data: message, transient: true }
    await runLog.emit({ runId, messageId: message.id, chunk })
  }
}

function isMessage(value: unknown): boolean {
  return isRecord(value) && isMessageId(value['id']) && Array.isArray(value['parts'])
}
