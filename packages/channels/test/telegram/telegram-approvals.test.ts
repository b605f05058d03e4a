import type { BotMessage } from '@throughline/testing/telegram/telegram-chats'
import { alice, bob, privateChatOf, teamGroup } from '@throughline/testing/telegram/telegram-messages'
import type { TelegramServer } from '@throughline/testing/telegram/telegram-server'
import { TelegramRefusal } from '@throughline/testing/telegram/telegram-updates'
import { describe, expect, test } from 'vitest'
import type {
  ApprovalRequest,
  Channel,
  Decide,
  DecisionResult,
  InboundDecision,
  ToolApproval,
} from '../../src/ports/channel.ts'
import { telegramChannel } from '../../src/telegram/telegram-channel.ts'
import {
  alicesTarget,
  channelError,
  type Harness,
  secret,
  startHarness,
  takeAll,
} from './telegram-harness.ts'

const id = `approval_${'0'.repeat(32)}`
const waiting: ToolApproval = {
  id,
  toolName: 'remove_files',
  input: '{"path":"*_[all]`","count":2}',
  isInputCut: false,
  isAskedHere: true,
}
const json = '{\n  "path": "*_[all]`",\n  "count": 2\n}'

function show(
  channel: Channel,
  approval: ToolApproval,
  request: Partial<ApprovalRequest> = {},
): Promise<string> {
  const { signal } = new AbortController()
  const shown = channel.showApproval?.({
    target: alicesTarget,
    idempotencyKey: 'run.0',
    signal,
    ...request,
    approval,
  })
  return shown ?? Promise.reject(new Error('It shows no approvals.'))
}

describe('a tool call that waits, in Telegram', () => {
  test('is a message with its tool and its arguments, and two buttons', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const receipt = await show(channel, waiting, { replyTo: '501_1' })
    expect(server.messages).toEqual([
      expect.objectContaining({
        messageId: Number(receipt),
        replyTo: 1,
        text: `🔐 remove_files waits for approval.\n\n${json}`,
        // No character of the arguments becomes markup, and no address becomes a link.
        entities: [{ type: 'pre', offset: 37, length: json.length, language: 'json' }],
        parseMode: undefined,
        hasPreview: false,
        buttons: [
          { text: 'Approve', data: `approve:${id}` },
          { text: 'Deny', data: `deny:${id}` },
        ],
      }),
    ])
    const [shown] = server.messages
    expect(shown?.text.slice(37)).toBe(json)
  })

  test.each([
    [{ approved: true }, 'remove_files: ✅ approved'],
    [{ approved: false }, 'remove_files: ❌ denied'],
    [
      { approved: false, reason: 'Nobody decided in time.' },
      'remove_files: ❌ not approved: Nobody decided in time.',
    ],
  ])('says in the same message what became of it: %j', async (outcome, text) => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const receipt = await show(channel, waiting)
    await show(channel, { ...waiting, outcome }, { receipt, idempotencyKey: 'run.1' })
    // Once more, as after a crash.
    await show(channel, { ...waiting, outcome }, { receipt, idempotencyKey: 'run.1' })
    expect(server.messages).toMatchObject([{ text: `${text}\n\n${json}`, buttons: [] }])
  })

  test('goes into its topic', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.write({ text: 'hi', chat: teamGroup, threadId: 7 })
    const target = JSON.stringify({ chatId: teamGroup.id, threadId: 7 })
    await show(channel, { ...waiting, agent: 'The cleaner' }, { target })
    expect(server.messages).toMatchObject([
      { chatId: teamGroup.id, threadId: 7, text: expect.stringContaining('remove_files (The cleaner)') },
    ])
  })

  test('speaks the language of the bot', async () => {
    await using harness = await startHarness({ language: 'zh' })
    const { server, channel } = harness
    const receipt = await show(channel, waiting)
    expect(server.messages[0]?.text).toContain('等待批准')
    expect(server.messages[0]?.buttons.map(({ text }) => text)).toEqual(['批准', '拒绝'])
    await show(channel, { ...waiting, outcome: { approved: true } }, { receipt })
    expect(server.messages[0]?.text).toContain('已批准')
  })

  test('cannot speak a language that the bot does not know', () => {
    const options = { token: '4242:AAtest-token_not-a-secret', allowUsers: [1], language: JSON.parse('"fr"') }
    expect(() => telegramChannel(options)).toThrow('The bot does not speak "fr". It speaks: en, zh.')
  })

  test('has no buttons when nobody may decide in Telegram, and says who does', async () => {
    await using harness = await startHarness({ approvers: [] })
    expect(harness.channel.approvers).toEqual(new Set())
    await show(harness.channel, waiting)
    expect(harness.server.messages).toMatchObject([
      {
        buttons: [],
        text: `🔐 remove_files waits for approval. Nobody can approve it here: its owner decides on the page of this chat.\n\n${json}`,
      },
    ])
  })

  test.each([
    ['nobody here has asked for', { isAskedHere: false }],
    ['has an id that is too long for a button', { id: 'é'.repeat(30) }],
  ])('that %s has no buttons, and says where to decide', async (_, change) => {
    await using harness = await startHarness()
    await show(harness.channel, { ...waiting, ...change })
    expect(harness.server.messages).toMatchObject([
      { buttons: [], text: expect.stringContaining('on the page of this chat') },
    ])
  })

  test('fits into a message, however much there is to say', async () => {
    await using harness = await startHarness()
    const long = 'x\u202e😀\n'.repeat(3_000)
    const approval = { ...waiting, toolName: long, agent: long, input: JSON.stringify({ long }) }
    const receipt = await show(harness.channel, approval)
    await show(
      harness.channel,
      { ...approval, outcome: { approved: false, reason: `\ud83d${long}` } },
      { receipt },
    )
    expect(harness.server.messages).toHaveLength(1)
  })

  test('of which Telegram did not take the question is not talked about', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    await show(channel, { ...waiting, outcome: { approved: true } })
    expect(server.calls).toEqual([])
  })

  test('that Telegram will not take is refused', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.refuse(501, new TelegramRefusal(403, 'Forbidden: bot was blocked by the user'))
    expect(await channelError(show(channel, waiting), server)).toMatchObject({ code: 'refused' })
  })
})

/** Remembers decisions, and returns the result that the test has chosen. */
function deciding(result: DecisionResult = 'decided') {
  const decisions: InboundDecision[] = []
  const decide: Decide = async decision => {
    decisions.push(decision)
    return result
  }
  return { decisions, decide }
}

/** What the person who pressed a button was told. */
function toldIn({ calls }: TelegramServer): readonly unknown[] {
  return calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ values }) => values['text'])
}

function questionIn({ messages: [message] }: TelegramServer): BotMessage {
  if (message === undefined) throw new Error('Nobody was asked.')
  return message
}

async function asked(options: Parameters<typeof startHarness>[0] = {}): Promise<Harness> {
  const harness = await startHarness(options)
  await show(harness.channel, waiting)
  return harness
}

describe('a button', () => {
  test.each([
    ['Approve', true],
    ['Deny', false],
  ])('%s is a decision of the person who pressed it, in this conversation', async (button, approved) => {
    await using harness = await asked()
    const { server } = harness
    const message = questionIn(server)
    server.press(message, button)
    const { decide, decisions } = deciding()
    await takeAll(harness, decide)
    expect(decisions).toEqual([{ approvalId: id, approved, conversation: '501', senderId: '501' }])
    expect(toldIn(server)).toEqual(['Done.'])
    expect(harness.problems).toEqual([])
  })

  test('in a topic is pressed in its conversation, as far as topics are apart', async () => {
    for (const replyInThread of [true, false]) {
      await using harness = await startHarness({ replyInThread })
      const { server, channel } = harness
      server.write({ text: 'hi', chat: teamGroup, threadId: 7 })
      await show(channel, waiting, { target: JSON.stringify({ chatId: teamGroup.id, threadId: 7 }) })
      const message = questionIn(server)
      server.press(message, 'Approve', { from: bob, chat: teamGroup })
      const { decide, decisions } = deciding()
      await takeAll(harness, decide)
      const conversation = replyInThread ? `${teamGroup.id}_7` : `${teamGroup.id}`
      expect(decisions).toMatchObject([{ conversation, senderId: '502' }])
    }
  })

  test.each([
    ['not-waiting', 'This was decided already.', 0],
    ['not-found', 'This does not wait any more.', 0],
    ['not-allowed', 'You may not decide this.', 2],
  ] as const)(
    'that is %s says so, and goes when it will never do anything',
    async (result, told, buttons) => {
      await using harness = await asked()
      const { server } = harness
      const message = questionIn(server)
      server.press(message, 'Approve')
      // Twice: buttons that are gone cannot be removed again, which is no failure.
      server.press(message, 'Approve')
      await takeAll(harness, deciding(result).decide)
      expect(toldIn(server)).toEqual([told, told])
      expect(server.messages[0]?.buttons).toHaveLength(buttons)
      expect(harness.problems).toEqual([])
    },
  )

  test('does nothing for those who may not talk to the bot', async () => {
    await using harness = await asked({ allowUsers: [alice.id], approvers: [alice.id] })
    const { server } = harness
    const message = questionIn(server)
    server.press(message, 'Approve', { from: bob, chat: privateChatOf(alice) })
    const { decide, decisions } = deciding()
    await takeAll(harness, decide)
    expect(decisions).toEqual([])
    expect(toldIn(server)).toEqual([])
  })

  test.each<Readonly<Record<string, unknown>>>([
    { data: 'something else' },
    { data: 'approve:' },
    {},
    { data: `approve:${id}`, message: undefined },
    { data: `approve:${id}`, from: { id: 9, is_bot: true } },
  ])('that is none of ours is left out: %j', async fields => {
    await using harness = await asked()
    const message = { message_id: 2, chat: { id: 501, type: 'private' }, date: 0 }
    const from = { id: 501, is_bot: false }
    harness.server.push({ callback_query: { id: 'q', from, message, chat_instance: '1', ...fields } })
    const { decide, decisions } = deciding()
    await takeAll(harness, decide)
    expect(decisions).toEqual([])
    expect(harness.problems).toEqual([])
  })

  test('that was pressed is confirmed to Telegram only when the decision is durable', async () => {
    await using harness = await asked()
    const { server, channel } = harness
    const message = questionIn(server)
    await takeAll(harness)
    server.press(message, 'Approve')
    const failure = new Error('The store is down.')
    const { signal } = new AbortController()
    const polling = channel.poll?.(
      async () => {},
      signal,
      () => Promise.reject(failure),
    )
    await expect(polling).rejects.toBe(failure)
    expect(server.pending).toHaveLength(1)
    const { decide, decisions } = deciding()
    await takeAll(harness, decide)
    expect(decisions).toHaveLength(1)
  })

  test('counts also when the person cannot be told', async () => {
    await using harness = await asked()
    const { server, problems } = harness
    const message = questionIn(server)
    server.press(message, 'Approve')
    server.write('after it')
    server.fail('answerCallbackQuery', { type: 'reset' })
    const { decide, decisions } = deciding()
    expect((await takeAll(harness, decide)).map(({ text }) => text)).toEqual(['hello', 'after it'])
    expect(decisions).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining('the person could not be told')])
  })

  test('can be pressed when Telegram calls us, too', async () => {
    await using harness = await asked({ mode: { webhookSecret: secret } })
    const { server, channel } = harness
    const message = questionIn(server)
    server.press(message, 'Deny')
    const { decide, decisions } = deciding()
    const body = Buffer.from(JSON.stringify(server.pending.at(-1)))
    const headers = { 'x-telegram-bot-api-secret-token': secret }
    const response = await channel.hook?.({ headers, body }, async () => {}, decide)
    expect(response).toMatchObject({ status: 200 })
    expect(decisions).toMatchObject([{ approvalId: id, approved: false }])
    expect(toldIn(server)).toEqual(['Done.'])
  })
})
