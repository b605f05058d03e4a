import { textOf } from '@throughline/protocol'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { picturePart } from '@throughline/testing/http/file-parts'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { hasAnswers, recordChat } from './recorded-chat.ts'

const saved = { ...picturePart, url: expect.stringMatching(/^\/api\/chats\/chat\/files\/file_/) }

const answers = (text: string) => (snapshot: ChatSnapshot) => {
  const [question] = snapshot.messages
  return hasAnswers(1)(snapshot) && question !== undefined && textOf(question) === text
}

test('a message is sent with files. An edited message keeps them, unless the caller names others', async () => {
  await using server = await startTestServer()
  using chat = recordChat(server.url)
  await chat.store.send('What is it?', { files: [picturePart] })
  const [first] = (await chat.until(answers('What is it?'))).messages
  expect(first?.parts).toEqual([saved, { type: 'text', text: 'What is it?' }])
  await chat.untilSaved(1)
  await chat.store.edit(first?.id ?? '', 'And what is in it?')
  const [second] = (await chat.until(answers('And what is in it?'))).messages
  expect(second?.parts).toEqual([saved, { type: 'text', text: 'And what is in it?' }])
  await chat.untilSaved(1)
  await chat.store.edit(second?.id ?? '', 'Never mind.', { files: [] })
  const [third] = (await chat.until(answers('Never mind.'))).messages
  expect(third?.parts).toEqual([{ type: 'text', text: 'Never mind.' }])
  await chat.untilSaved(1)
  expect((await loadChat(server.url)).messages[0]).toEqual(third)
})
