import {
  alice,
  bob,
  type PersonsMessage,
  type TelegramUser,
  teamGroup,
} from '@throughline/testing/telegram/telegram-messages'
import { describe, expect, test } from 'vitest'
import type { Inbound } from '../../src/ports/channel.ts'
import type { TelegramOptions } from '../../src/telegram/telegram-channel.ts'
import { startHarness, takeAll } from './telegram-harness.ts'

/** Returns what the channel makes of a message, and what the bot itself replies. */
async function take(
  message: PersonsMessage,
  options: Partial<TelegramOptions> = {},
): Promise<{
  readonly taken: readonly Inbound[]
  readonly said: readonly string[]
  readonly methods: readonly string[]
}> {
  await using harness = await startHarness(options)
  const { server } = harness
  server.write(message)
  const [, ...taken] = await takeAll(harness)
  expect(harness.problems).toEqual([])
  return {
    taken,
    said: server.messages.map(({ text }) => text),
    methods: server.calls.map(({ method }) => method),
  }
}

const texts = async (message: PersonsMessage, options: Partial<TelegramOptions> = {}) =>
  (await take(message, options)).taken.map(({ text }) => text)

describe('a message in private', () => {
  test('is from a person with an unchangeable id, in the chat with that person', async () => {
    const { taken, methods } = await take({ text: '  Hi there \n' })
    expect(taken).toEqual([
      {
        id: '501_2',
        conversation: '501',
        target: '{"chatId":501}',
        senderId: '501',
        senderName: 'Alice Ray',
        text: 'Hi there',
      },
    ])
    // For that the bot's name is not needed.
    expect(methods).not.toContain('getMe')
  })

  test.each<readonly [TelegramUser, string]>([
    [bob, 'Bob'],
    [{ id: 9, is_bot: false, first_name: '', username: 'nine' }, 'nine'],
    [{ id: 9, is_bot: false, first_name: '' }, '9'],
    [{ id: 9, is_bot: false, first_name: 'x'.repeat(300) }, 'x'.repeat(200)],
  ])('from %j has a name to show', async (from, senderName) => {
    expect((await take({ text: 'hi', from })).taken).toMatchObject([{ senderName }])
  })

  test('that starts the bot is a message like any other', async () => {
    expect(await texts({ text: '/start from-the-site' })).toEqual(['/start from-the-site'])
  })

  test('with a picture is what is written below it', async () => {
    expect(await texts({ fields: { photo: [{}], caption: 'What is this?' } })).toEqual(['What is this?'])
  })

  test('in a topic is a conversation of its own', async () => {
    const { taken } = await take({ text: 'hi', threadId: 12 })
    expect(taken).toMatchObject([{ conversation: '501_12', target: '{"chatId":501,"threadId":12}' }])
  })
})

describe('a message without text', () => {
  test.each(['photo', 'voice', 'sticker', 'video_note', 'document', 'rich_message'])(
    'but with a %s is answered with a notice',
    async kind => {
      expect(await take({ fields: { [kind]: {} } })).toMatchObject({
        taken: [],
        said: ['I can only read text so far.'],
      })
    },
  )

  test('is answered with what was asked for, or with nothing', async () => {
    const message = { fields: { voice: {} } }
    expect(await take(message, { textOnlyNotice: 'Nur Text, bitte.' })).toMatchObject({
      said: ['Nur Text, bitte.'],
    })
    expect(await take(message, { textOnlyNotice: '' })).toMatchObject({ taken: [], said: [] })
  })

  test('that only tells what happened in the chat is not answered', async () => {
    expect(await take({ fields: { pinned_message: {} } })).toMatchObject({ taken: [], said: [] })
    const joined = { chat: teamGroup, fields: { new_chat_members: [{}] } }
    expect(await take(joined, { groups: 'all' })).toMatchObject({ taken: [], said: [] })
  })

  test('in a group that is not for the bot is not answered', async () => {
    expect(await take({ chat: teamGroup, fields: { photo: [{}] } })).toMatchObject({ taken: [], said: [] })
  })
})

describe('a message in a group', () => {
  test('is taken when the bot is mentioned, without the mention', async () => {
    const { taken, methods } = await take({ text: '@ThroughlineBot how are you?', chat: teamGroup })
    expect(taken).toEqual([
      {
        id: '-1001234567890_1',
        conversation: '-1001234567890',
        target: '{"chatId":-1001234567890}',
        senderId: '501',
        senderName: 'Alice Ray',
        text: 'how are you?',
      },
    ])
    expect(methods.filter(method => method === 'getMe')).toEqual(['getMe'])
  })

  test.each([
    ['hey @throughlinebot, hello', 'hey , hello'],
    ['hey @THROUGHLINEBOT hello', 'hey hello'],
    ['tell me, @ThroughlineBot', 'tell me,'],
    ['@ThroughlineBot', '@ThroughlineBot'],
    ['@ThroughlineBot @ThroughlineBot twice', 'twice'],
    ['😀 @ThroughlineBot 😀', '😀 😀'],
    ['/ask@ThroughlineBot why', '/ask why'],
    ['@alice_ray and @ThroughlineBot talk', '@alice_ray and talk'],
  ])('%j is %j', async (text, expected) => {
    expect(await texts({ text, chat: teamGroup })).toEqual([expected])
  })

  test.each([
    'hello',
    'ThroughlineBot hello',
    '@ThroughlineBotX hello',
    '@AnotherBot hello',
    '/ask why',
    '/ask@AnotherBot why',
    'mail me@ThroughlineBot',
  ])('%j is not for the bot', async text => {
    expect(await texts({ text, chat: teamGroup })).toEqual([])
  })

  test('is taken when it answers the bot, and not when it answers somebody else', async () => {
    expect(await texts({ text: 'and then?', chat: teamGroup, replyToBot: 5 })).toEqual(['and then?'])
    const reply_to_message = { message_id: 4, from: alice }
    expect(await texts({ text: 'and then?', chat: teamGroup, fields: { reply_to_message } })).toEqual([])
  })

  test('in a topic that the bot has opened is no answer to the bot', async () => {
    const reply_to_message = { message_id: 4, from: { id: 4242 }, forum_topic_created: {} }
    expect(await texts({ text: 'hi', chat: teamGroup, threadId: 4, fields: { reply_to_message } })).toEqual(
      [],
    )
  })

  test('is taken when the bot is mentioned by its id', async () => {
    const entities = [{ type: 'text_mention', offset: 0, length: 3, user: { id: 4242 } }]
    expect(await texts({ text: 'Bot hello', chat: teamGroup, fields: { entities } })).toEqual(['hello'])
  })

  test('is taken when the bot is mentioned below a picture', async () => {
    const caption_entities = [{ type: 'mention', offset: 0, length: 15 }]
    const fields = { photo: [{}], caption: '@ThroughlineBot what is it?', caption_entities }
    expect(await texts({ chat: teamGroup, fields })).toEqual(['what is it?'])
  })

  test('is always taken when that is asked for, and never when that is', async () => {
    expect(await texts({ text: 'hello', chat: teamGroup }, { groups: 'all' })).toEqual(['hello'])
    expect(await texts({ text: '@ThroughlineBot hi', chat: teamGroup }, { groups: 'never' })).toEqual([])
  })

  test('in a topic is a conversation of its own, unless topics are one', async () => {
    const message = { text: '@ThroughlineBot hi', chat: teamGroup, threadId: 7 }
    expect((await take(message)).taken).toMatchObject([
      {
        id: '-1001234567890_1',
        conversation: '-1001234567890_7',
        target: '{"chatId":-1001234567890,"threadId":7}',
      },
    ])
    expect((await take(message, { replyInThread: false })).taken).toMatchObject([
      { conversation: '-1001234567890', target: '{"chatId":-1001234567890}' },
    ])
  })

  test('that is part of a thread of replies is in no topic', async () => {
    const fields = { message_thread_id: 31 }
    const { taken } = await take({ text: '@ThroughlineBot hi', chat: teamGroup, fields })
    expect(taken).toMatchObject([{ conversation: '-1001234567890' }])
  })
})

describe('who may talk to the bot', () => {
  test.each([[[501]], [['501']]])('is who is on the list: %j', async allowUsers => {
    expect(await texts({ text: 'hi' }, { allowUsers })).toEqual(['hi'])
  })

  test('is nobody else, whatever they call themselves, and they get no answer', async () => {
    const options = { allowUsers: [501], groups: 'all' } as const
    const mallory = { ...alice, id: 666 }
    expect(await take({ text: 'hi', from: mallory }, options)).toMatchObject({ taken: [], said: [] })
    expect(await take({ text: 'hi', from: mallory, chat: teamGroup }, options)).toMatchObject({
      taken: [],
      said: [],
    })
    expect(await take({ from: mallory, fields: { voice: {} } }, options)).toMatchObject({
      taken: [],
      said: [],
    })
  })

  test.each<readonly [string, PersonsMessage]>([
    ['a bot', { text: 'hi', from: { ...bob, is_bot: true } }],
    ['a channel', { text: 'hi', chat: { id: -5, type: 'channel' } }],
    [
      'somebody who writes as a group',
      { text: '@ThroughlineBot hi', chat: teamGroup, fields: { sender_chat: teamGroup } },
    ],
    ['nobody', { text: 'hi', fields: { from: undefined } }],
    ['a message that has no number', { text: 'hi', fields: { message_id: 0 } }],
  ])('is not %s', async (_, message) => {
    expect(await take(message, { groups: 'all' })).toMatchObject({ taken: [], said: [] })
  })
})
