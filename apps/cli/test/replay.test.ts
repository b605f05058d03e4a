import { logName, readBetween } from '@throughline/log'
import { type Entry, isChatId } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { ask } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { entriesOf, entryOf, userMessage } from '@throughline/testing/log/entries-of'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import { run } from '../src/main.ts'
import { replayLines } from '../src/replay/replay-lines.ts'
import { painter } from '../src/text/look.ts'
import { says, starts, textGoesOn } from './chat/rendered-chat.ts'
import { fakeTerminal } from './fake-terminal.ts'

const local = ownerIdOf('local')
const chatId = idOf(isChatId, 'chat')

describe('a log in words', () => {
  test('has a line for each entry: its time, the time since the one before, its number, who, and what', async () => {
    const entries = [
      { ...entryOf(userMessage('q', 'Hello'), { messageId: 'q', seq: 1 }), at: 1_000 },
      { ...entryOf(starts(), { messageId: 'a', seq: 2 }), at: 1_250 },
    ]
    expect(await linesOf(entries)).toEqual([
      '1970-01-01T00:00:01.000Z         -         1  You q                     says "Hello"',
      '1970-01-01T00:00:01.250Z   +250 ms         2  Ann a                     message begins',
    ])
  })

  test('has one line for deltas that follow each other, with the time from first to last', async () => {
    const chunks = [starts(), ...says('One'), textGoesOn(' two', 'b'), textGoesOn(' three', 'b')]
    const entries = entriesOf(chunks, { messageId: 'a' }).map(entry => ({ ...entry, at: entry.seq * 10 }))
    const lines = await linesOf(entries)
    expect(lines).toHaveLength(5)
    expect(lines[4]).toMatch(/ \+10 ms {7}5-6 {2}Ann a +text over 10 ms " two three"$/)
  })

  test('has a dash where no time was kept', async () => {
    const entries = [1, 2].map(seq => ({ ...entryOf(starts(), { messageId: 'a', seq }), at: 0 }))
    for (const line of await linesOf(entries)) expect(line).toMatch(/^- +- +\d {2}Ann/)
  })

  test('fits on the screen', async () => {
    const entries = entriesOf([starts(), ...says('你'.repeat(100))], { messageId: 'a' })
    const [, , line = ''] = await linesOf(entries)
    expect(line).toMatch(/text "你+…$/)
    expect(line.length + (line.match(/你/g) ?? []).length).toBeLessThanOrEqual(120)
  })
})

describe('throughline replay', () => {
  test('prints all that a server has of a chat, and ends', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const { code, text } = await replay(['chat', '--url', server.url, '--json'])
    expect(code).toBe(0)
    expect(jsonIn(text)).toEqual(await readLog(server.url))
    const words = await replay(['chat', '--url', server.url])
    expect(words.text).toMatch(/The assistant \S+ +call of weather with \{"city":"Lisbon"\}\n/)
    expect(words.text).toMatch(/message ends: finished, 42 tokens\n$/)
  })

  test('says that a server has no such chat', async () => {
    await using server = await startTestServer()
    const { code, text } = await replay(['nope', '--url', server.url])
    expect({ code, text }).toEqual({ code: 1, text: `${server.url} has no chat "nope" that you may see.\n` })
  })

  test('prints a long log from the data of a server that does not run', async () => {
    await using folder = await temporaryFolder()
    const store = await openStore(folder.path)
    await saveHistory(store, { ownerId: local, chatId, count: 1_200 })
    const log = logName({ ownerId: local, chatId })
    const { epoch } = await store.log.open(log)
    const pages = readBetween(store.log, log, { after: { epoch, seq: 0 }, upTo: 1_200 })
    const entries = (await Array.fromAsync(pages)).flat()
    await store.close()

    const { code, text } = await replay(['chat', '--json'], { THROUGHLINE_DATA: folder.path })
    expect(code).toBe(0)
    expect(jsonIn(text)).toEqual(entries)
    const other = await replay(['chat', '--data', folder.path, '--owner', 'ada'])
    expect(other.text).toBe(`${folder.path} has no chat "chat" of the owner "ada".\n`)
  })

  test('says to ask the server when that has the data open', async () => {
    await using opened = await temporaryStore()
    const { code, text } = await replay(['chat', '--data', opened.folder])
    expect(code).toBe(1)
    expect(text).toContain(
      'Read the log from that server: throughline replay CHAT --url http://127.0.0.1:4000',
    )
  })

  test('makes no data where there is none', async () => {
    await using folder = await temporaryFolder()
    const { text } = await replay(['chat', '--data', folder.path])
    expect(text).toContain(`There is no data in ${folder.path}.`)
  })
})

async function linesOf(entries: readonly Entry[]): Promise<readonly string[]> {
  async function* pages() {
    // A page may end anywhere, also between two deltas.
    for (const entry of entries) yield [entry]
  }
  return Array.fromAsync(replayLines(pages(), { paint: painter(false), columns: 120 }))
}

async function replay(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = fakeTerminal({ NO_COLOR: '1', ...env })
  const code = await run(['replay', ...words], terminal.shell)
  return { code, text: terminal.text }
}

function jsonIn(text: string): readonly unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}
