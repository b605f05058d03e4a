import { type Message, randomHex } from '@throughline/protocol'
import type { SendMessageOptions } from './chat-options.ts'

interface MessageFields extends Pick<SendMessageOptions, 'files' | 'metadata' | 'model'> {
  readonly senderName: string | undefined
  /** The message that this one follows, when that is not the last one of the chat. */
  readonly previousMessageId: string | undefined
}

/** Returns a message of the person, with a new id. */
export function newMessage(
  text: string,
  { files = [], metadata, model, senderName, previousMessageId }: MessageFields,
): Message {
  return {
    id: `user_${randomHex(16)}`,
    role: 'user',
    parts: [...files, { type: 'text', text }],
    metadata: {
      ...metadata,
      communicationType: 'user-to-agent',
      createdAt: new Date().toISOString(),
      senderName,
      previousMessageId,
      // The server sets it too. Here it is for the page, until the log brings the message.
      chosenModel: model,
    },
  }
}
