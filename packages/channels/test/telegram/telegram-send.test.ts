import { alice, privateChatOf, teamGroup } from '@throughline/testing/telegram/telegram-messages'
import { describe, expect, test } from 'vitest'
import { alicesTarget, channelError, send, startHarness } from './telegram-harness.ts'

describe('a text to Telegram', () => {
  test('arrives with its markup, and its number is the receipt', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const receipt = await send(channel, 'A **bold** word, 1.5 times.')
    expect(server.messages).toMatchObject([
      {
        messageId: Number(receipt),
        chatId: privateChatOf(alice).id,
        text: 'A bold word, 1.5 times.',
        entities: [{ type: 'bold', offset: 2, length: 4 }],
        replyTo: undefined,
        threadId: undefined,
      },
    ])
  })

  test('makes Telegram load nothing from the addresses in it', async () => {
    await using harness = await startHarness()
    await send(harness.channel, 'See https://example.com/?q=secret')
    expect(harness.server.messages).toMatchObject([{ hasPreview: false }])
  })

  test('that Telegram cannot read is sent again as it was written', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const description = "Bad Request: can't parse entities: Character '.' is reserved"
    server.fail('sendMessage', { type: 'error', status: 400, description })
    await send(channel, 'A **bold** word.')
    expect(server.messages).toMatchObject([{ text: 'A **bold** word.', parseMode: undefined }])
  })

  test('of which nothing would be seen is sent as it was written', async () => {
    await using harness = await startHarness()
    await send(harness.channel, '#')
    expect(harness.server.messages).toMatchObject([{ text: '#', parseMode: undefined }])
  })

  test('is sent as it was written when that is asked for', async () => {
    await using harness = await startHarness({ format: 'plain' })
    await send(harness.channel, 'A **bold** word.')
    expect(harness.server.messages).toMatchObject([{ text: 'A **bold** word.', parseMode: undefined }])
  })

  test('may have 4096 characters, however many of them have to be escaped', async () => {
    await using harness = await startHarness()
    await send(harness.channel, '.'.repeat(4_096))
    expect(harness.server.messages).toMatchObject([{ text: '.'.repeat(4_096), parseMode: 'MarkdownV2' }])
  })

  test('that becomes too long by its markup is sent as it was written', async () => {
    await using harness = await startHarness()
    const rows = Array.from({ length: 100 }, (_, row) => `| ${row} | b |`)
    const table = ['| a | b |', '|---|---|', `| ${'x'.repeat(200)} | b |`, ...rows].join('\n')
    await send(harness.channel, table)
    expect(harness.server.messages).toMatchObject([{ text: table, parseMode: undefined }])
  })

  test('that is longer goes out as several messages, and the last one is the receipt', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const text = Array.from({ length: 100 }, (_, index) =>
      `Paragraph ${index} ${'word '.repeat(20)}`.trim(),
    ).join('\n\n')
    const target = server.write('a question')
    const receipt = await send(channel, text, { replyTo: `501_${target}` })
    expect(server.messages.length).toBe(4)
    expect(server.messages.map(message => message.text).join('\n\n')).toBe(text)
    expect(server.messages.at(-1)?.messageId).toBe(Number(receipt))
    expect(server.messages.map(({ replyTo }) => replyTo)).toEqual([target, undefined, undefined, undefined])
  })

  test('of which the first half has arrived goes on with the second half', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const text = `${'a'.repeat(4_000)}\n\n${'b'.repeat(4_000)}`
    server.fail('sendMessage', { type: 'held', until: Promise.resolve() }, { type: 'reset' })
    const error = await channelError(send(channel, text), server)
    expect(error.code).toBe('unavailable')
    await send(channel, text)
    expect(server.messages.map(message => message.text)).toEqual(['a'.repeat(4_000), 'b'.repeat(4_000)])
    await send(channel, text, { key: 'run.1' })
    expect(server.messages.length).toBe(4)
  })

  test('with half a character in it still arrives', async () => {
    await using harness = await startHarness()
    await send(harness.channel, 'half \ud83d and \0')
    expect(harness.server.messages).toMatchObject([{ text: 'half \ufffd and \ufffd' }])
  })

  test.each(['', ' \n '])('that is %j is refused without a call', async text => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const error = await channelError(send(channel, text), server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('no text') })
    expect(server.calls).toEqual([])
  })
})

describe('the place of a message', () => {
  test('is below the message that it answers', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const asked = server.write('a question')
    await send(channel, 'an answer', { replyTo: `501_${asked}` })
    await send(channel, 'another', { replyTo: `${asked}` })
    expect(server.messages.map(({ replyTo }) => replyTo)).toEqual([asked, asked])
  })

  test('is the end of the chat when that message has been deleted', async () => {
    await using harness = await startHarness()
    await send(harness.channel, 'an answer', { replyTo: '501_99' })
    expect(harness.server.messages).toMatchObject([{ text: 'an answer', replyTo: undefined }])
  })

  test('is the topic from which the question came', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.write({ text: 'hi', chat: teamGroup, threadId: 7 })
    await send(channel, 'an answer', { target: JSON.stringify({ chatId: teamGroup.id, threadId: 7 }) })
    expect(server.messages).toMatchObject([{ chatId: teamGroup.id, threadId: 7 }])
  })

  test('is the new chat when a group has become another', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.write({ text: 'hi', chat: teamGroup })
    server.fail('sendMessage', {
      type: 'error',
      status: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: teamGroup.id },
    })
    await send(channel, 'an answer', { target: JSON.stringify({ chatId: -77 }) })
    expect(server.messages).toMatchObject([{ chatId: teamGroup.id, text: 'an answer' }])
  })

  test.each(['', 'nonsense', '{}', '{"chatId":"x"}', '[]'])('cannot be %j', async target => {
    await using harness = await startHarness()
    const error = await channelError(send(harness.channel, 'hi', { target }), harness.server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('no target') })
  })
})

describe('editing and typing', () => {
  test('an edit replaces the text of a message, markup included', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const { signal } = new AbortController()
    const receipt = await send(channel, 'before')
    await channel.edit?.({ target: alicesTarget, receipt, message: { text: '**after**' }, signal })
    expect(server.messages).toMatchObject([{ text: 'after', entities: [{ type: 'bold' }] }])
    // As if the confirmation had been lost.
    await channel.edit?.({ target: alicesTarget, receipt, message: { text: '**after**' }, signal })
    expect(server.messages.length).toBe(1)
  })

  test('an edit that Telegram cannot read is made as it was written', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const receipt = await send(channel, 'before')
    server.fail('editMessageText', {
      type: 'error',
      status: 400,
      description: "Bad Request: can't parse entities",
    })
    const { signal } = new AbortController()
    await channel.edit?.({ target: alicesTarget, receipt, message: { text: '**after**' }, signal })
    expect(server.messages).toMatchObject([{ text: '**after**', parseMode: undefined }])
  })

  test.each([
    ['nothing', 'text', 'no message "nothing"'],
    ['99', 'text', 'message to edit not found'],
    ['1', 'x'.repeat(5_000), 'at most 4096'],
  ])('an edit of %j is refused', async (receipt, text, reason) => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const { signal } = new AbortController()
    const edit = channel.edit?.({ target: alicesTarget, receipt, message: { text }, signal })
    const error = await channelError(Promise.resolve(edit), server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining(reason) })
  })

  test('typing is shown in the chat and the topic', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const { signal } = new AbortController()
    await channel.typing?.(alicesTarget, signal)
    await channel.typing?.(JSON.stringify({ chatId: 501, threadId: 3 }), signal)
    expect(server.calls).toMatchObject([
      { method: 'sendChatAction', values: { chat_id: 501, action: 'typing' } },
      { method: 'sendChatAction', values: { message_thread_id: 3 } },
    ])
  })
})
