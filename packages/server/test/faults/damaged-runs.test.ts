import { openStore, SqlError } from '@throughline/store'
import type { Store } from '@throughline/store/testing'
import { scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { loggedLines } from '@throughline/testing/server/logged-lines'
import { damageStore, leaveRuns, moveEntries } from '@throughline/testing/store/left-runs'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

const inLog = `epoch = (select epoch from logs where name = 'local/broken')`
const row = (change: string) => `update runs set ${change} where chat_id = 'broken'`
const entry = (change: string, seq: number) =>
  `${moveEntries} update log_entries set ${change} where seq = ${seq} and ${inLog}`
const withoutEntry = (seq: number) => `${moveEntries} delete from log_entries where seq = ${seq} and ${inLog}`
const inTail = (change: string, seq: number) =>
  `update log_tail set ${change} where seq = ${seq} and ${inLog}`

/** What is damaged, how, and the text of the answer up to the damage. */
const damages: readonly (readonly [string, string, string])[] = [
  ['an entry that is not JSON', entry(`chunk = '{"type":'`, 5), 'One. '],
  ['a new entry that is not JSON', inTail(`body = substr(body, 1, length(body) - 3)`, 5), 'One. '],
  ['an entry that is missing', withoutEntry(5), 'One. '],
  ['a new entry that is missing', `delete from log_tail where seq = 5 and ${inLog}`, 'One. '],
  ['an entry with a wrong number', entry('seq = 99', 5), 'One. '],
  ['a new entry with a wrong number', inTail('seq = 99', 5), 'One. '],
  ['an entry of an unknown type', entry(`chunk = '{"type":"text-beam"}'`, 5), 'One. '],
  ['a new entry of an unknown type', inTail(`body = replace(body, 'text-delta', 'text-beam')`, 5), 'One. '],
  ['an entry for a part that is not open', entry(`chunk = json_set(chunk, '$.id', 'other')`, 5), 'One. '],
  ['a new entry for a part that is not open', inTail(`body = replace(body, 'text-1', 'other')`, 5), 'One. '],
  ['the last entry', entry(`chunk = 'null'`, 6), 'One. Two. '],
  ['the first entry of the answer', withoutEntry(2), ''],
  ['the first entry of the run', entry(`run_id = ''`, 1), ''],
  ['the number of entries in the log', `update logs set seq = 2 where name = 'local/broken'`, ''],
  ['the id of the run', row(`id = 'not an id'`), 'One. Two. Three.'],
  ['the id of the answer', row(`answer_id = ''`), 'One. Two. Three.'],
  ['the id of the question', row(`user_message_id = ''`), 'One. Two. Three.'],
  ['the kind of the run', row(`kind = 'dance'`), 'One. Two. Three.'],
  ['the first entry in the row', row(`after_seq = 'one'`), 'One. Two. Three.'],
  ['a question that is missing', `delete from messages where chat_id = 'broken'`, 'One. Two. Three.'],
  [
    'the row of the question',
    `update messages set metadata = 'null' where chat_id = 'broken'`,
    'One. Two. Three.',
  ],
]

describe('one damaged run does not keep the server from starting:', () => {
  test.each(damages)('%s', async (_, damage, text) => {
    await using server = await startOnDamage(damage)

    // The damaged run is named, with what to do.
    const named = server.lines.filter(({ msg }) => String(msg).includes('was set aside'))
    expect(named).toMatchObject([{ level: 50, chatId: 'broken', err: { message: expect.any(String) } }])
    expect(named[0]?.['msg']).toContain('restore the data folder from a backup')
    expect(named[0]?.['runId']).toBe(damage.includes('not an id') ? 'not an id' : 'run-broken')

    // The chat can be read, and says that the answer is damaged.
    const { messages } = await loadChat(server.url, 'broken')
    expect(messages.map(({ id, role }) => [id, role])).toMatchObject([
      ['broken-question', 'user'],
      [expect.any(String), 'assistant'],
    ])
    const answer = await loadAnswer(server.url, 'broken')
    expect(answer.metadata).toMatchObject({
      status: 'interrupted',
      statusText: expect.stringMatching(/^This answer could not be read after a restart/),
    })
    expect(answer.parts.map(part => (part.type === 'text' ? part.text : '')).join('')).toBe(text)

    // Every other run is recovered as usual.
    for (const chatId of ['before', 'behind']) {
      expect(await loadAnswer(server.url, chatId)).toMatchObject({
        metadata: { status: 'interrupted', statusText: 'The server was restarted.' },
        parts: [{ type: 'text', text: 'One. Two. Three.', state: 'done' }],
      })
    }
    expect(await server.store.runs.unfinished()).toEqual([])
    expect(await server.store.runs.damaged()).toEqual([])

    // The chat goes on.
    const next = await ask(server.url, { chatId: 'broken', messageId: 'next' })
    expect(await next.text()).toContain('The sky is clear.')
    expect((await loadChat(server.url, 'broken')).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(server.lines.filter(({ level }) => Number(level) >= 50)).toHaveLength(1)
  })

  test('a run that names no chat gets its end all the same', async () => {
    await using server = await startOnDamage(row(`chat_id = ''`))
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 50, runId: 'run-broken', chatId: '' }),
    )
    expect(await server.store.runs.damaged()).toEqual([])
    expect((await loadAnswer(server.url, 'behind')).metadata?.status).toBe('interrupted')
  })

  test('a damaged entry that a reader meets later is a named problem, never wrong bytes', async () => {
    await using server = await startOnDamage(entry(`chunk = 'null'`, 5))
    const { position } = await loadChat(server.url, 'broken')
    const [epoch] = position.split('.')
    const log = await fetch(`${server.url}/api/chats/broken/log?after=${epoch}.3`)
    expect(await log.text().catch(() => 'cut off')).not.toContain('Three.')
  })
})

test('a run whose rows cannot be read for a moment is not damaged: it ends as any other one', async () => {
  const failing = new SqlError('failed', 'canceling statement due to user request')
  let hasFailed = false
  await using server = await startOnDamage('', store => ({
    ...store,
    messages: {
      ...store.messages,
      async find(chat, id) {
        const isFirst = !hasFailed && chat.chatId === 'broken'
        if (!isFirst) return store.messages.find(chat, id)
        hasFailed = true
        throw failing
      },
    },
  }))
  await expect.poll(async () => (await server.store.runs.unfinished()).length === 0).toBeTruthy()
  expect(hasFailed).toBe(true)
  expect((await loadAnswer(server.url, 'broken')).metadata).toMatchObject({
    status: 'interrupted',
    statusText: 'The server was restarted.',
  })
  expect(server.lines.filter(({ msg }) => String(msg).includes('was set aside'))).toEqual([])
})

/** Starts a server on three unfinished runs. The one in the chat `broken` is damaged. */
async function startOnDamage(damage: string, wrap = (store: Store) => store) {
  const folder = await temporaryFolder()
  await leaveRuns(folder.path, ['before', 'broken', 'behind'])
  damageStore(folder.path, damage)
  const { logger, lines } = loggedLines()
  const store = await openStore(folder.path)
  const agents = [scriptedAgent('assistant', textToolText)]
  const server = await startServer({ store: wrap(store), agents, logger, port: 0 })
  return {
    url: server.url,
    store,
    lines,
    async [Symbol.asyncDispose]() {
      await server.close()
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
