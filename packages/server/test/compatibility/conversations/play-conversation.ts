import { loadChat } from '@throughline/testing/http/chat-requests'
import { chatId } from '../client.ts'
import { startLine } from '../line.ts'
import { savedInUiMessages } from '../readers/ui-messages.ts'
import { ClientInProcess } from './client-in-process.ts'
import type { Conversation, Given, StageOptions } from './conversation.ts'
import type { Talker } from './talk.ts'
import type { Transcript } from './transcript.ts'

export interface PlayedConversation {
  /** What the client shows in the end. */
  readonly shown: Transcript
  /** What the server has kept. */
  readonly saved: Transcript
  readonly given: Given | undefined
  readonly shouldBeGiven: Given | undefined
}

/** Plays a conversation to a client, on a server of its own. */
export async function playConversation(
  talker: Talker,
  conversation: Conversation,
  options: StageOptions,
): Promise<PlayedConversation> {
  const { server, act, given, shouldBeGiven } = await conversation.start(options)
  await using stack = new AsyncDisposableStack()
  stack.use(server)
  const line = stack.use(await startLine(server.url))
  const client = stack.use(new ClientInProcess(talker, line.url))
  await client.load()
  await act(client, line)
  const shown = await client.transcript()
  const { messages } = await loadChat(server.url, chatId)
  return { shown, saved: savedInUiMessages(messages), given, shouldBeGiven }
}
