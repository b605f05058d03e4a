import {
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  loadBranches,
  shownIds,
} from '@throughline/testing/http/branch-requests'
import { loadChat, sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { describe, expect, test } from 'vitest'
import { expectShown, reloaded, startPage, textsOf } from './stock-page.ts'

describe('sendMessage() of the stock chat with the id of a message', () => {
  test('puts another text in the place of the first message, which stays under its id', async () => {
    await using world = await startPage()
    const { chat, url, given } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'Two?' })
    const before = await loadAll(url)
    const id = before[0]?.id ?? ''
    await chat.sendMessage({ text: 'Another?', messageId: id })
    expect(chat.error).toBeUndefined()
    expect(textsOf(chat)).toEqual(['Another?', 'Answer 3.'])
    const [edit, answer] = (await loadChat(url)).messages
    expect(edit).toMatchObject({
      id: expect.stringMatching(/^edit_[0-9a-f]{32}$/),
      role: 'user',
      parts: [{ type: 'text', text: 'Another?' }],
      metadata: { originalMessageId: id, previousMessageId: '' },
    })
    expect(fromWire(chat.lastMessage)).toEqual(answer)
    expect(given[2]).toEqual([edit?.id])
    expect(await loadBranch(url, id)).toEqual(before)
    expect(textsOf(await reloaded(url))).toEqual(textsOf(chat))
    await expectWhole(world.server)
  })

  test('keeps what came before a later message, and the chat goes on from there', async () => {
    await using world = await startPage()
    const { chat, url, given } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'Two?' })
    const [q1, a1, q2] = chat.messages.map(({ id }) => id)
    await chat.sendMessage({ text: 'Another two?', messageId: q2 ?? '' })
    await chat.sendMessage({ text: 'Three?' })
    const shown = ['One?', 'Answer 1.', 'Another two?', 'Answer 3.', 'Three?', 'Answer 4.']
    expect(textsOf(chat)).toEqual(shown)
    expect(textsOf(await reloaded(url))).toEqual(shown)
    const [, , edit, a3, q3] = await shownIds(url)
    expect(given.slice(2)).toEqual([
      [q1, a1, edit],
      [q1, a1, edit, a3, q3],
    ])
  })

  test('can be repeated, on the same page and on a loaded one', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    const id = chat.messages[0]?.id ?? ''
    await chat.sendMessage({ text: 'Second?', messageId: id })
    await chat.sendMessage({ text: 'Third?', messageId: id })
    expect(textsOf(chat)).toEqual(['Third?', 'Answer 3.'])
    const page = await reloaded(url)
    expect(textsOf(page)).toEqual(textsOf(chat))
    await page.sendMessage({ text: 'Fourth?', messageId: page.messages[0]?.id ?? '' })
    expect(textsOf(await reloaded(url))).toEqual(['Fourth?', 'Answer 4.'])
    expect(await loadBranches(url)).toHaveLength(4)
    await expectWhole(world.server)
  })

  test('is made under an id of its own when the page gives it one', async () => {
    await using world = await startPage()
    const { chat, given } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'Two?' })
    const messageId = chat.messages[0]?.id ?? ''
    const parts = [{ type: 'text' as const, text: 'Another?' }]
    await chat.sendMessage({ id: 'own', role: 'user', parts, messageId })
    await expectShown(world)
    expect(textsOf(chat)).toEqual(['Another?', 'Answer 3.'])
    expect(given[2]).toEqual(['own'])
  })

  test.each(['on the same page', 'on a loaded page'])('can be answered anew %s', async where => {
    await using world = await startPage()
    await world.chat.sendMessage({ text: 'One?' })
    await world.chat.sendMessage({ text: 'Another?', messageId: world.chat.messages[0]?.id ?? '' })
    const chat = where === 'on the same page' ? world.chat : await reloaded(world.url)
    await chat.regenerate()
    expect(chat.error).toBeUndefined()
    expect(textsOf(chat)).toEqual(['Another?', 'Answer 3.'])
    expect(textsOf(await reloaded(world.url))).toEqual(textsOf(chat))
    expect(world.given[2]).toEqual(world.given[1])
  })

  test('is sent by regenerate() when it has never arrived', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    world.line.isCut = true
    await chat.sendMessage({ text: 'Another?', messageId: chat.messages[0]?.id ?? '' })
    world.line.isCut = false
    await chat.regenerate()
    expect(textsOf(chat)).toEqual(['Another?', 'Answer 2.'])
    expect(textsOf(await reloaded(url))).toEqual(textsOf(chat))
    expect(await loadAll(url)).toHaveLength(4)
  })

  test('is one message and one run when the same request comes again, also at once', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    const messageId = chat.messages[0]?.id ?? ''
    const messages = [userMessage({ messageId, text: 'Another?' })]
    const body = { id: 'chat', messages, trigger: 'submit-message', messageId }
    const send = async () => (await sendJson(`${url}/api/chat`, body)).text()
    const streams = [...(await Promise.all([send(), send(), send()])), await send()]
    expect(new Set(streams).size).toBe(1)
    await chat.sendMessage({ text: 'Two?' })
    expect(await send()).toBe(streams[0])
    expect(await loadAll(url)).toHaveLength(6)
    expect(world.given).toHaveLength(3)
  })

  test('with the same text is no other message', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'One?', messageId: chat.messages[0]?.id ?? '' })
    expect(chat.error).toBeUndefined()
    expect(idsOf(await loadAll(url))).toEqual(chat.messages.map(({ id }) => id))
    expect(world.given).toHaveLength(1)
  })
})
