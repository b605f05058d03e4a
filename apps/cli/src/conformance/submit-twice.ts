import type { ChatId } from '@throughline/protocol'
import type { Reply } from './checked-server.ts'
import { userMessage } from './recorded-answer.ts'
import type { Session } from './session.ts'

/** A message that was sent twice at the same moment. */
export interface SubmittedTwice {
  readonly chatId: ChatId
  readonly replies: readonly [Reply, Reply]
}

// Long, so that there is time to leave and to stop. It is stopped after the first words.
const question = 'Write a long text: the numbers from one to three hundred in words, one per line.'

/** Sends one message to a new chat, twice at once. */
export async function submitTwice(session: Session): Promise<SubmittedTwice> {
  const { agent, message: text = question } = session.options
  const chatId = session.newChat()
  const body = { message: userMessage(text), agent }
  const send = () => session.server.request(`/api/chats/${chatId}/messages`, { body })
  return { chatId, replies: await Promise.all([send(), send()]) }
}
