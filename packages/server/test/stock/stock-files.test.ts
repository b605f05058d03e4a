import { Chat } from '@ai-sdk/react'
import { loadAll } from '@throughline/testing/http/branch-requests'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { fileOf, picturePart } from '@throughline/testing/http/file-parts'
import { DefaultChatTransport, type FileUIPart } from 'ai'
import { describe, expect, test } from 'vitest'
import { reloaded, startPage, textsOf } from './stock-page.ts'

const saved = {
  type: 'file',
  mediaType: 'image/png',
  url: expect.stringMatching(/^\/api\/chats\/chat\/files\/file_/),
  filename: 'red.png',
}

/** A file as the page holds it. */
const files: FileUIPart[] = [{ ...picturePart }]

describe('sendMessage({ text, files }) of the stock chat', () => {
  test('sends a message with a file, and the chat goes on', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'What is it?', files })
    await chat.sendMessage({ text: 'And now?' })
    expect(chat.error).toBeUndefined()
    expect(textsOf(chat)).toEqual(['What is it?', 'Answer 1.', 'And now?', 'Answer 2.'])
    const { messages } = await loadChat(url)
    expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
    expect(messages[0]?.parts).toEqual([saved, { type: 'text', text: 'What is it?' }])
    expect(world.given[1]).toHaveLength(3)
  })

  test('sends a file without a text', async () => {
    await using world = await startPage()
    await world.chat.sendMessage({ files })
    expect(world.chat.error).toBeUndefined()
    expect((await loadChat(world.url)).messages[0]?.parts).toEqual([saved])
  })

  test('gets another answer to the message with regenerate(), before and after a reload', async () => {
    await using world = await startPage()
    await world.chat.sendMessage({ text: 'What is it?', files })
    await world.chat.regenerate()
    expect(textsOf(world.chat)).toEqual(['What is it?', 'Answer 2.'])
    const page = await reloaded(world.url)
    await page.regenerate()
    expect(page.error).toBeUndefined()
    expect(textsOf(page)).toEqual(['What is it?', 'Answer 3.'])
    const all = await loadAll(world.url)
    expect(all.filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  test('keeps the file in an edited message, before and after a reload', async () => {
    await using world = await startPage()
    await world.chat.sendMessage({ text: 'What is it?', files })
    for (const chat of [world.chat, await reloaded(world.url)]) {
      const [question] = chat.messages
      const kept = question?.parts.filter(part => part.type === 'file') ?? []
      const text = `Edit ${kept[0]?.url.slice(0, 5)}`
      await chat.sendMessage({ text, files: kept, messageId: question?.id ?? '' })
      expect(chat.error).toBeUndefined()
      const { messages } = await loadChat(world.url)
      expect(messages[0]?.parts).toEqual([saved, { type: 'text', text }])
    }
  })

  test('is told in words what is wrong with a file', async () => {
    await using world = await startPage()
    const svg: FileUIPart = { ...fileOf('image/svg+xml', '<svg/>', 'logo.svg') }
    await world.chat.sendMessage({ text: 'Look.', files: [svg] })
    expect(world.chat.error?.message).toContain('File 1 (\\"logo.svg\\") is not a valid file of the type')
    expect((await fetch(`${world.url}/api/chats/chat`)).status).toBe(404)
  })
})

test('a page that sends only its new message sends a file once, and goes on', async () => {
  await using world = await startPage()
  const sizes: number[] = []
  const chat = new Chat({
    id: 'chat',
    transport: new DefaultChatTransport({
      api: `${world.url}/api/chat`,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
        body: { ...body, id, message: messages.at(-1), trigger, messageId },
      }),
      fetch: (input, init) => {
        sizes.push(String(init?.body).length)
        return fetch(input, init)
      },
    }),
  })
  const large = fileOf('text/plain', 'x'.repeat(100_000), 'large.txt')
  await chat.sendMessage({ text: 'Read it.', files: [large] })
  await chat.sendMessage({ text: 'And now?' })
  await chat.regenerate()
  expect(chat.error).toBeUndefined()
  expect(textsOf(chat)).toEqual(['Read it.', 'Answer 1.', 'And now?', 'Answer 3.'])
  expect(sizes.map(size => size > 100_000)).toEqual([true, false, false])
  expect(world.given.map(ids => ids.length)).toEqual([1, 3, 3])
})
