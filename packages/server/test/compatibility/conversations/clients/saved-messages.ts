import { isRecord } from '@throughline/protocol'
import { z } from 'zod'
import { chatId } from '../../client.ts'

/**
 * The chat as a page loads it for a stock client: without sub-agents, and without the answer that is being written,
 * because the client reads that one from its beginning. A chat that does not exist yet is empty.
 */
export async function savedMessages<Message>(url: string): Promise<Message[]> {
  const schema = z.object({ messages: z.array(z.custom<Message>(isRecord)) })
  const response = await fetch(`${url}/api/chats/${chatId}/messages?subAgents=hidden&inProgress=false`)
  return response.ok ? schema.parse(await response.json()).messages : []
}
