import { heldScript, type Script, say, textToolText } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import {
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  loadBranches,
} from '@throughline/testing/http/branch-requests'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { describe, expect, test } from 'vitest'
import { chatOn, expectShown, reloaded, startPage, textsOf, until } from './stock-page.ts'

describe('regenerate() of the stock chat', () => {
  test('shows a new answer in place of the last, and a reload shows the same', async () => {
    await using world = await startPage([textToolText])
    const { chat, url, given } = world
    await chat.sendMessage({ text: 'One?' })
    const first = chat.lastMessage
    await chat.regenerate()
    await expectShown(world)
    expect(textsOf(chat)).toEqual(['One?', 'Answer 2.'])
    expect(given[1]).toEqual(given[0])
    expect((await loadBranch(url, first?.id ?? '')).at(-1)).toEqual(fromWire(first))
    await expectWhole(world.server)
  })

  test('can be repeated, and every answer is kept', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.regenerate()
    await chat.regenerate()
    await chat.regenerate()
    await expectShown(world)
    expect(textsOf(chat)).toEqual(['One?', 'Answer 4.'])
    expect((await loadBranches(url)).map(({ text }) => text)).toEqual([
      'Answer 4.',
      'Answer 3.',
      'Answer 2.',
      'Answer 1.',
    ])
  })

  test.each([
    ['an answer', 1],
    ['a question', 0],
  ])(
    'of %s in the middle cuts what came after it from the page, and loses nothing of it',
    async (_, place) => {
      await using world = await startPage()
      const { chat, url, given } = world
      await chat.sendMessage({ text: 'One?' })
      await chat.sendMessage({ text: 'Two?' })
      const before = await loadAll(url)
      await chat.regenerate({ messageId: idsOf(before)[place] ?? '' })
      await expectShown(world)
      expect(textsOf(chat)).toEqual(['One?', 'Answer 3.'])
      expect(given[2]).toEqual(given[0])
      expect(await loadBranch(url, before.at(-1)?.id ?? '')).toEqual(before)
    },
  )

  test('is followed by the next message', async () => {
    await using world = await startPage()
    const { chat, given } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.regenerate()
    await chat.sendMessage({ text: 'Two?' })
    await expectShown(world)
    expect(given[2]).toEqual(chat.messages.slice(0, 3).map(({ id }) => id))
    expect(textsOf(chat)).toEqual(['One?', 'Answer 2.', 'Two?', 'Answer 3.'])
  })

  test('works on a page that was loaded', async () => {
    await using world = await startPage()
    await world.chat.sendMessage({ text: 'One?' })
    const chat = await reloaded(world.url)
    await chat.regenerate()
    await expectShown({ ...world, chat })
    expect(textsOf(chat)).toEqual(['One?', 'Answer 2.'])
  })

  test('is resumed by a page that is loaded in the middle of it', async () => {
    const { script, letGo } = heldScript({ before: [say('Half')], after: [say(' and half')] })
    await using world = await startPage([textToolText, script])
    await world.chat.sendMessage({ text: 'One?' })
    const regenerated = world.chat.regenerate()
    await until(
      () => textsOf(world.chat).at(-1) === 'Half',
      look => world.chat['~registerMessagesCallback'](look),
    )
    const chat = await reloaded(world.url)
    expect(textsOf(chat)).toEqual(['One?', 'Half'])
    const resumed = chat.resumeStream()
    await until(
      () => chat.status === 'streaming',
      look => chat['~registerStatusCallback'](look),
    )
    letGo()
    await Promise.all([regenerated, resumed])
    for (const page of [world.chat, chat]) await expectShown({ ...world, chat: page })
    expect(textsOf(chat)).toEqual(['One?', 'Half and half'])
  })

  test('after a failure keeps the half answer, and shows a whole one', async () => {
    const broken: Script = [say('Half'), { type: 'error', error: new Error('secret') }]
    await using world = await startPage([broken])
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    expect(chat.status).toBe('error')
    await chat.regenerate()
    await expectShown(world)
    expect(textsOf(chat)).toEqual(['One?', 'Answer 2.'])
    expect((await loadBranches(url)).map(({ text }) => text)).toEqual(['Answer 2.', 'Half'])
  })

  test('sends a message that has never arrived', async () => {
    await using world = await startPage()
    const { chat, given } = world
    await chat.sendMessage({ text: 'One?' })
    world.line.isCut = true
    await chat.sendMessage({ text: 'Two?' })
    expect(chat.status).toBe('error')
    world.line.isCut = false
    await chat.regenerate()
    await expectShown(world)
    expect(textsOf(chat)).toEqual(['One?', 'Answer 1.', 'Two?', 'Answer 2.'])
    expect(given[1]).toEqual(chat.messages.slice(0, 3).map(({ id }) => id))
  })

  test('shows the master alone, and keeps what its sub-agents did for both answers', async () => {
    const model = scriptedModel({
      master: [[saying('I ask. '), asking('helper')], [saying('Done.')]],
      helper: [[saying('It is helped.')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    const chat = chatOn(server.url)
    await chat.sendMessage({ text: 'One?' })
    await chat.regenerate()
    expect(chat.error).toBeUndefined()
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const shown = (await loadChat(server.url)).messages
    expect(fromWire(chat.lastMessage)).toEqual(shown[1])
    expect(shown[2]?.metadata?.parent?.messageId).toBe(chat.lastMessage?.id)
    expect(await loadAll(server.url)).toHaveLength(5)
  })
})
