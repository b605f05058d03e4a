import type { ListedChat } from '@throughline/protocol'
import { callServer } from '../call-server.ts'
import { saveFile } from '../save-file.ts'
import type { Words } from '../settings/words.ts'
import { chatMarkdown } from './chat-markdown.ts'

/**
 * Saves a chat as a file in the person's download folder. As Markdown, it is what was said on the newest branch. As JSON,
 * it is all messages of all branches, with their tools and sub-agents. Throws a `ChatError`.
 */
export async function exportChat(chat: ListedChat, form: 'markdown' | 'json', words: Words): Promise<void> {
  const query = form === 'json' ? 'branches=all&subAgents=separate' : 'subAgents=hidden'
  const { messages } = await callServer('GET', `/api/chats/${chat.id}/messages?${query}`)
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
