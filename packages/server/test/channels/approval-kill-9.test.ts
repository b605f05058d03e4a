import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isChatId, isOwnerId, isToolPart } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { signedPost, writeToHook } from '@throughline/testing/channels/channel-server'
import { type DeliveryProcess, startDeliveries } from '@throughline/testing/channels/kill-deliveries'
import { type ReceivedBlock, startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { idOf } from '@throughline/testing/log/id-of'
import { startTelegramServer } from '@throughline/testing/telegram/telegram-server'
import { expect, test } from 'vitest'

const killCount = Number(process.env['KILLS'] ?? 2)

const ada = { id: 'ada' }

test(
  `after ${killCount} kills around a question every question is shown once, after its text and before its outcome`,
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
    let process: DeliveryProcess | undefined
    let killed: Promise<void> | undefined
    let isFatal: (block: ReceivedBlock) => boolean = () => false
    let treatment: 200 | 'never' = 200
    await using receiver = await startWebhookReceiver(request => {
      const block = receiver.requests[request]
      if (killed !== undefined || block === undefined || !isFatal(block)) return 200
      killed = process?.kill()
      return treatment
    })
    const words = ['--ask', '--data', folder.path, '--hook', receiver.url]
    const start = () => startDeliveries(words)
    for (let kill = 0; kill < killCount; kill += 1) {
      const id = `m${kill}`
      // In turn: at the text before the question and at the question; confirmed and never confirmed.
      const type = kill % 2 === 0 ? 'approval_request' : undefined
      treatment = kill % 4 < 2 ? 200 : 'never'
      isFatal = ({ body, fields }) => fields['type'] === type && `${body}`.includes(`in_${id}`)
      killed = undefined
      process = await start()
      // It may be killed before it has said that it has the message.
      await writeToHook(process.url, { id }).catch(() => undefined)
      await receiver.until(() => killed !== undefined)
      await killed
    }
    isFatal = () => false
    process = await start()
    await writeToHook(process.url, { id: 'last' })
    const isLast = ({ body, fields }: ReceivedBlock) =>
      fields['type'] === 'approval_request' && `${body}`.includes('in_last')
    await receiver.until(shown => shown.some(isLast))
    const approvalId = receiver.shown.find(isLast)?.fields['approvalId']
    await signedPost({ type: 'approval', sender: ada, approvalId, approved: true })(process.url)
    await receiver.until(
      shown => shown.at(-1)?.text.includes('Sentence 25 of the answer to in_last') === true,
    )
    await process.kill()

    const told = receiver.shown.map(({ fields }) => [fields['type'], fields['approvalId']].join(' '))
    const asked = await askedIn(folder.path)
    expect(asked.length).toBeGreaterThan(killCount / 2)
    expect(told.filter(each => each.startsWith('approval'))).toEqual(
      asked.flatMap(id => [`approval_request ${id}`, `approval_settled ${id}`]),
    )
    for (const id of asked) {
      const place = told.indexOf(`approval_request ${id}`)
      const before = receiver.shown[place - 1]
      expect(before?.text).toContain(`Sentence 1 of the answer to ${questionOf(receiver.shown[place])}.`)
    }
    expect(receiver.shown.filter(({ fields }) => fields['approved'] === true)).toHaveLength(1)
  },
  60_000 + killCount * 30_000,
)

test('a question in Telegram whose server was killed says so when the next server is there', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
  await using telegram = await startTelegramServer()
  const words = ['--ask', '--data', folder.path, '--telegram', telegram.apiRoot, '--token', telegram.token]
  const start = () => startDeliveries(words)
  const first = await start()
  telegram.write('Remove it.')
  await telegram.until(() => telegram.messages.at(1)?.buttons.length === 2)
  await first.kill()

  const second = await start()
  const interrupted = 'not approved: Interrupted: The server was restarted.'
  await telegram.until(() => telegram.messages.some(({ text }) => text.includes(interrupted)))
  telegram.write('Remove it now.')
  await telegram.until(() => telegram.messages.at(-1)?.buttons.length === 2)
  const asked = telegram.messages.at(-1)
  if (asked === undefined) throw new Error('Nobody was asked.')
  telegram.press(asked, 'Approve')
  await telegram.until(() => telegram.messages.at(-1)?.text.includes('Sentence 25') === true)
  await second.kill()
  const outcomes = telegram.messages.filter(({ text }) => text.includes('approved'))
  expect(outcomes.map(({ buttons }) => buttons)).toEqual([[], []])
}, 300_000)

function questionOf(block: ReceivedBlock | undefined): string {
  return /"question":"(\w+)"/.exec(`${block?.body}`)?.[1] ?? ''
}

/** The approvals that were asked for, in the order of the chat. */
async function askedIn(folder: string): Promise<readonly string[]> {
  const store = await openStore(folder)
  const saved = await store.messages.load({
    ownerId: idOf(isOwnerId, 'local'),
    chatId: idOf(isChatId, 'hook:room'),
  })
  await store.close()
  const parts = saved?.messages.flatMap(({ message }) => message.parts.filter(isToolPart)) ?? []
  return parts.flatMap(({ approval }) => (approval === undefined ? [] : [approval.id]))
}
