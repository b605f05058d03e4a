import { type ChatBody, isMessagesBody } from '@throughline/protocol/internal'
import { saveFile } from '../../browser/save-file.ts'
import { callServer } from '../../server/call-server.ts'
import type { Words } from '../../words/first/en.ts'
import { chatMarkdown } from './chat-markdown.ts'

/** What an export says of a chat, besides its messages. */
type ExportedChat = Pick<ChatBody, 'id' | 'title' | 'createdAt' | 'updatedAt'>

/**
 * Saves a chat as a file in the person's download folder. As Markdown, it is what was said on the newest branch. As JSON,
 * it is all messages of all branches, with their tools and sub-agents. Throws a `ChatError`.
 */
export async function exportChat(chat: ExportedChat, form: 'markdown' | 'json', words: Words): Promise<void> {
  const query = form === 'json' ? 'branches=all&subAgents=separate' : 'subAgents=hidden'
  const { messages } = await callServer(isMessagesBody, 'GET', `/api/chats/${chat.id}/messages?${query}`)
  const title = chat.title || words.untitled
  if (form === 'json') {
    const { id, createdAt, updatedAt } = chat
    const text = JSON.stringify({ id, title, createdAt, updatedAt, messages }, undefined, 2)
    return saveFile(`${fileName(title)}.json`, new Blob([text], { type: 'application/json' }))
  }
  const text = chatMarkdown({ title, messages }, words)
  saveFile(`${fileName(title)}.md`, new Blob([text], { type: 'text/markdown' }))
}

/** Returns a title without the characters that some system does not allow in the name of a file. */
function fileName(title: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are removed
  const allowed = title.replace(/[\u0000-\u001f\\/:*?"<>|]+/g, ' ').replace(/^[. ]+|[. ]+$/g, '')
  return [...allowed].slice(0, 80).join('').trim() || 'chat'
}
