import {
  answerTo,
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  otherAnswerTo,
  shownIds,
  toldBy,
  untilIdle,
} from '@throughline/testing/http/branch-requests'
import { loadChat, problemOf, submit } from '@throughline/testing/http/chat-requests'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { startTwoTurns } from '@throughline/testing/server/two-turns'
import { describe, expect, test } from 'vitest'

describe('a message that follows another than the last', () => {
  test('begins a branch at the start of the chat, of which the agent is given nothing else', async () => {
    await using world = await startTwoTurns()
    const { server, url, given, a1, a2 } = world
    const edited = await answerTo(url, { messageId: 'q1b', fields: { after: '' } })
    expect(given.at(-1)).toEqual(['q1b'])
    expect(await shownIds(url)).toEqual(['q1b', edited])
    expect(idsOf(await loadBranch(url, 'q1'))).toEqual(['q1', a1, 'q2', a2])
    expect((await loadChat(url)).messages[0]?.metadata).toMatchObject({ previousMessageId: '' })
    await expectWhole(server)
  })

  test('begins a branch in the middle, with what came before it', async () => {
    await using world = await startTwoTurns()
    const { server, url, given, a1, a2 } = world
    const edited = await answerTo(url, { messageId: 'q2b', fields: { after: a1 } })
    expect(given.at(-1)).toEqual(['q1', a1, 'q2b'])
    expect(await shownIds(url)).toEqual(['q1', a1, 'q2b', edited])
    expect(idsOf(await loadBranch(url, a2))).toEqual(['q1', a1, 'q2', a2])
    await expectWhole(server)
  })

  test('goes on with an old branch, and the newest branch is then that one', async () => {
    await using world = await startTwoTurns()
    const { server, url, given, a1, a2 } = world
    const edited = await answerTo(url, { messageId: 'q1b', fields: { after: '' } })
    const a3 = await answerTo(url, { messageId: 'q3', fields: { after: a2 } })
    expect(given.at(-1)).toEqual(['q1', a1, 'q2', a2, 'q3'])
    const a4 = await answerTo(url, { messageId: 'q4' })
    expect(given.at(-1)).toEqual(['q1', a1, 'q2', a2, 'q3', a3, 'q4'])
    expect(await shownIds(url)).toEqual(['q1', a1, 'q2', a2, 'q3', a3, 'q4', a4])
    expect(idsOf(await loadBranch(url, 'q1b'))).toEqual(['q1b', edited])
    await expectWhole(server)
  })

  test('may follow an answer that another took the place of', async () => {
    await using world = await startTwoTurns()
    const { url, given, a1 } = world
    const other = await otherAnswerTo(url, { messageId: 'q1' })
    await answerTo(url, { messageId: 'old', fields: { after: a1 } })
    await answerTo(url, { messageId: 'new', fields: { after: other } })
    expect(given.slice(-2)).toEqual([
      ['q1', a1, 'old'],
      ['q1', other, 'new'],
    ])
    expect((await loadAll(url)).find(({ id }) => id === 'new')?.metadata).toHaveProperty('previousMessageId')
  })

  test('is no branch when what it follows is the last', async () => {
    await using world = await startTwoTurns()
    const { url, a2 } = world
    await answerTo(url, { messageId: 'q3', fields: { after: a2 } })
    expect(JSON.stringify(await loadAll(url))).not.toContain('previousMessageId')
    await answerTo(url, { chatId: 'new', fields: { after: '' } })
    expect(JSON.stringify(await loadAll(url, 'new'))).not.toContain('previousMessageId')
  })

  test('that is sent again attaches to its run, wherever the chat has gone since', async () => {
    await using world = await startTwoTurns()
    const { url, a1 } = world
    const edit = { messageId: 'q2b', fields: { after: a1 } }
    const told = await toldBy(await submit(url, edit))
    await untilIdle(url)
    await answerTo(url, { messageId: 'q3' })
    const before = await loadAll(url)
    expect(await toldBy(await submit(url, edit))).toEqual(told)
    expect(await problemOf(await submit(url, { ...edit, text: 'Changed' }))).toMatchObject({ status: 409 })
    expect(await loadAll(url)).toEqual(before)
  })

  test.each([
    ['unknown', 'unknown', 'unknown-message'],
    ['malformed', 'not an id', 'unknown-message'],
    ['its own', 'q3', 'unknown-message'],
    ['a number', 5, 'invalid-body'],
    ['null', null, 'invalid-body'],
    ['a list', ['q1'], 'invalid-body'],
  ])('is refused when what it follows is %s', async (_, after, code) => {
    await using world = await startTwoTurns()
    const before = await loadAll(world.url)
    const question = { messageId: 'q3', fields: { after } }
    expect(await problemOf(await submit(world.url, question))).toMatchObject({ status: 400, code })
    const elsewhere = { ...question, chatId: 'elsewhere' }
    expect(await problemOf(await submit(world.url, elsewhere))).toMatchObject({ status: 400, code })
    expect(await loadAll(world.url)).toEqual(before)
    const chats = await world.server.store.chats.list(ownerIdOf('local'), { limit: 5 })
    expect(chats).toHaveLength(1)
  })

  test('cannot be put elsewhere by what it says about itself', async () => {
    await using world = await startTwoTurns()
    const { url, a2 } = world
    const parent = { messageId: 'q1', toolCallId: 'call' }
    const agent = { kind: 'sub', name: 'a', displayName: 'A', depth: 1, path: ['a'] }
    const forged = { previousMessageId: '', parent, agent, status: 'finished', usage: 1, createdAt: 'x' }
    const metadata = { ...forged, senderName: 'Ada', colour: 'blue' }
    const message = { id: 'q3', role: 'user', parts: [{ type: 'text', text: 'Hi' }], metadata }
    await answerTo(url, { fields: { message } })
    expect(world.given.at(-1)?.slice(-2)).toEqual([a2, 'q3'])
    const saved = (await loadAll(url)).find(({ id }) => id === 'q3')
    expect(saved?.metadata).toEqual({
      senderName: 'Ada',
      receiverName: 'The assistant',
      colour: 'blue',
      communicationType: 'user-to-agent',
      createdAt: expect.stringMatching(/^\d{4}-/),
      originalMessageId: 'q3',
    })
  })
})
