import { type DeliveryOptions, type TelegramOptions, telegramChannel } from '@throughline/channels'
import { isChatId, isOwnerId } from '@throughline/protocol'
import { asking, calling, saying } from '@throughline/testing/agent/scripted-model'
import { type RemovalOptions, startRemoval } from '@throughline/testing/channels/removal-server'
import { decide } from '@throughline/testing/http/approval-requests'
import { loadChat, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { subAgent } from '@throughline/testing/server/delegating-server'
import type { BotMessage } from '@throughline/testing/telegram/telegram-chats'
import { alice, bob, privateChatOf, teamGroup } from '@throughline/testing/telegram/telegram-messages'
import { startTelegramServer, type TelegramServer } from '@throughline/testing/telegram/telegram-server'
import { expect, test } from 'vitest'

const local = idOf(isOwnerId, 'local')
const alicesChat = idOf(isChatId, `telegram:${alice.id}`)

interface Options extends RemovalOptions {
  readonly telegramOptions?: Partial<TelegramOptions>
  readonly delivery?: DeliveryOptions
}

/** A server with a bot, whose agent wants to remove something and has to ask. */
async function start({ telegramOptions = {}, delivery = {}, ...options }: Options = {}) {
  const telegram = await startTelegramServer()
  const { token, apiRoot } = telegram
  const channel = telegramChannel({
    token,
    apiRoot,
    allowUsers: 'everybody',
    approvers: [alice.id],
    ...telegramOptions,
  })
  const channels = new Map([['telegram', { channel, ownerId: local, delivery }]])
  const removal = await startRemoval({ channels, ...options })
  return {
    ...removal,
    telegram,
    async [Symbol.asyncDispose]() {
      await removal[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

/** The message in which the bot asks, once it does. */
async function question(telegram: TelegramServer): Promise<BotMessage> {
  const find = () => telegram.messages.find(({ buttons }) => buttons.length > 0)
  await telegram.until(() => find() !== undefined)
  const found = find()
  if (found === undefined) throw new Error('The question is gone.')
  return found
}

function endsWith(telegram: TelegramServer, text: string): Promise<void> {
  return telegram.until(() => telegram.messages.at(-1)?.text === text)
}

function lastTold({ calls }: TelegramServer): unknown {
  return calls.findLast(({ method }) => method === 'answerCallbackQuery')?.values['text']
}

const json = '{\n  "what": "all"\n}'

test.each([
  ['Approve', 'remove: ✅ approved', ['all']],
  ['Deny', 'remove: ❌ denied', []],
])(
  'a person is asked after what the agent said, presses %s, and the answer goes on',
  async (button, told, removed) => {
    await using fixture = await start()
    const { telegram } = fixture
    telegram.write('Remove it.')
    telegram.press(await question(telegram), button)
    await endsWith(telegram, 'Done.')
    expect(telegram.messages.map(({ text }) => text)).toEqual([
      'I want to remove it.',
      `${told}\n\n${json}`,
      'Done.',
    ])
    expect(telegram.messages.flatMap(({ buttons }) => buttons)).toEqual([])
    expect(fixture.removed).toEqual(removed)
  },
)

test('what was decided on the page is said in the message that asked', async () => {
  await using fixture = await start()
  const { telegram, server } = fixture
  telegram.write('Remove it.')
  const asked = await question(telegram)
  const approvalId = asked.buttons[0]?.data.split(':')[1] ?? ''
  expect((await decide(server.url, approvalId, { approved: false, reason: 'Not today.' })).status).toBe(200)
  await endsWith(telegram, 'Done.')
  expect(telegram.messages[1]).toMatchObject({
    messageId: asked.messageId,
    text: `remove: ❌ not approved: Not today.\n\n${json}`,
    buttons: [],
  })
})

test('that nobody has decided in time is said, too', async () => {
  await using fixture = await start({ limits: { maxApprovalMs: 20 } })
  const { telegram } = fixture
  telegram.write('Remove it.')
  await endsWith(telegram, 'Done.')
  expect(telegram.messages[1]?.text).toBe(`remove: ❌ not approved: Nobody decided in time.\n\n${json}`)
  expect(fixture.removed).toEqual([])
})

test.each([
  [
    'stops the run',
    ({ url }: { url: string }) => void sendJson(`${url}/api/chat/${alicesChat}/stop`, {}),
    'Stopped by the user.',
  ],
  [
    'asks something else',
    (_: unknown, telegram: TelegramServer) => void telegram.write('Forget it.'),
    'Interrupted by a new message.',
  ],
] as const)('a question ends when somebody %s', async (_, act, reason) => {
  await using fixture = await start()
  const { telegram, server } = fixture
  telegram.write('Remove it.')
  const asked = await question(telegram)
  act(server, telegram)
  await telegram.until(() => telegram.messages[1]?.buttons.length === 0)
  expect(telegram.messages[1]?.text).toContain(`remove: ❌ not approved: Interrupted: ${reason}`)
  // The message may still be open on somebody's screen, with its buttons.
  telegram.press(asked, 'Approve')
  await telegram.until(() => lastTold(telegram) === 'This was decided already.')
  expect(fixture.removed).toEqual([])
})

test('a stranger who may talk to the bot cannot approve their own call, nor anybody when nobody was named', async () => {
  await using fixture = await start({ telegramOptions: { approvers: [] } })
  const { telegram, server } = fixture
  telegram.write({ text: 'Remove it.', from: bob })
  const isAsked = ({ text }: BotMessage) => text.startsWith('🔐')
  await telegram.until(() => telegram.messages.some(isAsked))
  const asked = telegram.messages.find(isAsked)
  if (asked === undefined) throw new Error('The question is gone.')
  expect(asked).toMatchObject({ buttons: [], text: expect.stringContaining('Nobody can approve it here') })
  // Pressing a button that is not there does nothing, either.
  const { messages } = await loadChat(server.url, `telegram:${bob.id}`)
  const [approvalId] = /approval_[0-9a-f]+/.exec(JSON.stringify(messages)) ?? []
  const forged = { ...asked, buttons: [{ text: 'Approve', data: `approve:${approvalId}` }] }
  telegram.press(forged, 'Approve', { from: bob, chat: privateChatOf(bob) })
  await telegram.until(() => lastTold(telegram) === 'You may not decide this.')
  expect(fixture.removed).toEqual([])
  // The owner of the chat decides on its page.
  expect((await decide(server.url, `${approvalId}`, { approved: true })).status).toBe(200)
  await endsWith(telegram, 'Done.')
  expect(fixture.removed).toEqual(['all'])
})

test('in a group only approvers decide, also about what somebody else has asked for, and nobody from another chat', async () => {
  await using fixture = await start({ telegramOptions: { groups: 'all' } })
  const { telegram } = fixture
  telegram.write({ text: 'Hello.', from: alice })
  await telegram.until(() => telegram.pending.length === 0)
  telegram.write({ text: 'Remove it.', from: bob, chat: teamGroup })
  const isAsked = ({ chatId, buttons }: BotMessage) => chatId === teamGroup.id && buttons.length > 0
  await telegram.until(() => telegram.messages.some(isAsked))
  const asked = telegram.messages.find(isAsked)
  if (asked === undefined) throw new Error('The question is gone.')
  telegram.press(asked, 'Approve', { from: bob, chat: teamGroup })
  await telegram.until(() => lastTold(telegram) === 'You may not decide this.')
  telegram.press(asked, 'Approve', { from: alice, chat: privateChatOf(alice) })
  await telegram.until(() => lastTold(telegram) === 'This does not wait any more.')
  expect(fixture.removed).toEqual([])
  telegram.press(asked, 'Approve', { from: alice, chat: teamGroup })
  await telegram.until(() => lastTold(telegram) === 'Done.')
  await endsWith(telegram, 'Done.')
  expect(fixture.removed).toEqual(['all'])
})

test('a sub-agent’s call is asked for in the same way, with the name of the sub-agent', async () => {
  await using fixture = await start({
    turns: {
      master: [[saying('I ask the cleaner.'), asking('cleaner')], [saying('Done.')]],
      cleaner: [[saying('I clean.'), calling('remove', { what: 'dust' })], [saying('It is clean.')]],
    },
    subAgents: [subAgent('cleaner', { tools: ['remove'] })],
  })
  const { telegram } = fixture
  telegram.write('Clean.')
  const asked = await question(telegram)
  expect(asked.text).toContain('remove (The cleaner) waits for approval.')
  telegram.press(asked, 'Approve')
  await endsWith(telegram, 'Done.')
  expect(telegram.messages.map(({ text }) => text.split('\n')[0])).toEqual([
    'I ask the cleaner.',
    'remove (The cleaner): ✅ approved',
    'Done.',
  ])
  expect(fixture.removed).toEqual(['dust'])
})

test('a call that the page has asked for is shown, and decided on the page alone', async () => {
  await using fixture = await start()
  const { telegram, server } = fixture
  telegram.write('Remove it.')
  telegram.press(await question(telegram), 'Deny')
  await endsWith(telegram, 'Done.')
  await submit(server.url, { chatId: alicesChat, messageId: 'from-the-page' })
  await telegram.until(() => telegram.messages.length === 5)
  expect(telegram.messages[4]).toMatchObject({
    buttons: [],
    text: expect.stringContaining(
      'waits for approval. Nobody can approve it here: its owner decides on the page of this chat.',
    ),
  })
})

test('in messages that grow, the question stands below what was said, and the rest below the question', async () => {
  await using fixture = await start({ delivery: { streaming: 'edit', idleMs: 1 } })
  const { telegram } = fixture
  telegram.write('Remove it.')
  telegram.press(await question(telegram), 'Approve')
  await endsWith(telegram, 'Done.')
  expect(telegram.messages.map(({ text }) => text)).toEqual([
    'I want to remove it.',
    `remove: ✅ approved\n\n${json}`,
    'Done.',
  ])
})

test('a button can be pressed when Telegram calls the server', async () => {
  const webhookSecret = 'a-secret-for-webhooks'
  await using fixture = await start({ telegramOptions: { mode: { webhookSecret } } })
  const { telegram, server } = fixture
  telegram.setWebhook({ url: `${server.url}/api/channels/telegram`, secret: webhookSecret })
  telegram.write('Remove it.')
  expect(await telegram.callWebhook()).toEqual([200])
  telegram.press(await question(telegram), 'Approve')
  expect(await telegram.callWebhook()).toEqual([200])
  await endsWith(telegram, 'Done.')
  expect(fixture.removed).toEqual(['all'])
})
