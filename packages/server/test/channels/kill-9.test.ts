import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@throughline/agents/testing'
import { isChatId, isOwnerId, textOf } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { writeToHook } from '@throughline/testing/channels/channel-server'
import { type DeliveryProcess, startDeliveries } from '@throughline/testing/channels/kill-deliveries'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { idOf } from '@throughline/testing/log/id-of'
import { startTelegramServer } from '@throughline/testing/telegram/telegram-server'
import { expect, test } from 'vitest'

const killCount = Number(process.env['KILLS'] ?? 2)
const notice = /⚠️ The server was restarted\./g

test(
  `after ${killCount} kills in mid-delivery no block is lost and none is shown twice by a receiver that remembers keys`,
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
    const random = seededRandom(1)
    let killAt = Number.POSITIVE_INFINITY
    let deliveries: DeliveryProcess | undefined
    let killed = Promise.resolve()
    // Killed while the receiver holds a block: half of the time it has not answered yet, and the server never knows.
    await using receiver = await startWebhookReceiver(request => {
      if (request < killAt) return 200
      killAt = Number.POSITIVE_INFINITY
      killed = deliveries?.kill() ?? killed
      return random.below(2) === 0 ? 'never' : 200
    })
    const words = ['--data', folder.path, '--hook', receiver.url]
    let unconfirmed: readonly string[] = []
    for (let kill = 0; kill < killCount; kill += 1) {
      deliveries = await startDeliveries(words)
      killAt = receiver.requests.length + random.below(8)
      unconfirmed = await write(deliveries, [...unconfirmed, `m${kill}`])
      await receiver.until(() => killAt === Number.POSITIVE_INFINITY)
      await killed
    }
    const last = await startDeliveries(words)
    await write(last, [...unconfirmed, 'last'])
    await receiver.until(
      shown => shown.at(-1)?.text.includes('Sentence 25 of the answer to in_last') === true,
    )
    await last.kill()

    expect(bare(receiver.shown.map(({ text }) => text).join(' '))).toBe(
      bare(await answersIn(folder.path, 'hook:room')),
    )
  },
  60_000 + killCount * 30_000,
)

test(
  'in Telegram, which knows no keys, the same kills lose nothing; what is shown twice is counted',
  async () => {
    const kills = Math.ceil(killCount / 5)
    await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
    await using telegram = await startTelegramServer()
    const random = seededRandom(2)
    const words = ['--data', folder.path, '--telegram', telegram.apiRoot, '--token', telegram.token]
    for (let kill = 0; kill < kills; kill += 1) {
      const deliveries = await startDeliveries(words)
      const before = telegram.messages.length
      telegram.write(`Question ${kill}`)
      await telegram.until(() => telegram.messages.length > before)
      // At any moment, which is the point: how often is it the one between Telegram's answer and our note of it?
      await pause(random.below(120))
      await deliveries.kill()
    }
    const last = await startDeliveries(words)
    const number = telegram.write('Last.')
    await telegram.until(() => telegram.pending.length === 0)
    // Not the end of the answer before, which may come only now.
    const end = new RegExp(`Sentence 25 of the answer to in_\\d+_${number}\\b`)
    await telegram.until(() => end.test(telegram.messages.at(-1)?.text ?? ''))
    await last.kill()

    // That two answers in a row were cut off says nothing about blocks.
    const shown = telegram.messages.map(({ text }) => text).filter(text => !text.startsWith('⚠️'))
    const doubled = shown.filter((text, index) => shown[index - 1] === text)
    const once = shown.filter((text, index) => shown[index - 1] !== text)
    const [chatId] = await chatsIn(folder.path)
    expect(bare(once.join(' '))).toBe(bare(await answersIn(folder.path, chatId ?? '')))
    expect(doubled.length).toBeLessThanOrEqual(kills)
    console.log(
      `Telegram: ${doubled.length} of ${shown.length} messages were shown twice after ${kills} kills.`,
    )
  },
  60_000 + killCount * 30_000,
)

/** Writes as a platform does: what was not confirmed is written again, later. Answers what that is. */
async function write({ url }: DeliveryProcess, ids: readonly string[]): Promise<readonly string[]> {
  const results = await Promise.allSettled(ids.map(id => writeToHook(url, { id })))
  return ids.filter((_, index) => results[index]?.status === 'rejected')
}

/** What is left of a text when it does not matter how it was cut, nor which answers say that they were cut off. */
function bare(text: string): string {
  return text.replace(notice, '').replace(/\s+/g, '')
}

async function answersIn(folder: string, chatId: string): Promise<string> {
  const store = await openStore(folder)
  const saved = await store.messages.load({
    ownerId: idOf(isOwnerId, 'local'),
    chatId: idOf(isChatId, chatId),
  })
  await store.close()
  const answers = saved?.messages.filter(({ message }) => message.role === 'assistant') ?? []
  return answers.map(({ message }) => textOf(message)).join(' ')
}

async function chatsIn(folder: string): Promise<readonly string[]> {
  const store = await openStore(folder)
  const chats = await store.chats.list(idOf(isOwnerId, 'local'), { limit: 10 })
  await store.close()
  return chats.map(({ id }) => id)
}
