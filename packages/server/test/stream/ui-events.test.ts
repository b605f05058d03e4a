import { asking, calling, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { entryWith, outputsOf, readLog, replay } from '@throughline/testing/http/read-log'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { describe, expect, test } from 'vitest'

const done = [saying('Done.')]
const url = 'https://example.com/page'
const settingsTab = { id: 'settings', title: 'Settings', kind: 'settings' }
const pageTab = { id: 'page', title: 'A page', url }
const inSettings = { tabs: [pageTab, settingsTab], activeTabId: 'settings' }
const onPage = { tabs: [pageTab, settingsTab], activeTabId: 'page' }

describe('open-url', () => {
  test('tells the page at once, and leaves nothing in the saved answer', async () => {
    const turns = { master: [[calling('open-url', { url, title: 'A page' })], done] }
    const { bytes, entries, messages } = await runOf(turns)
    const event = { type: 'data-ui-event', data: { type: 'open-url', url, title: 'A page' }, transient: true }
    expect(valuesOf(bytes)).toContainEqual(event)
    expect(entries.filter(({ chunk }) => chunk.type === 'data-ui-event')).toHaveLength(1)
    for (const chat of [messages, replay(entries)])
      expect(JSON.stringify(chat)).not.toContain('data-ui-event')
    expect(outputsOf(entries).get('call-open-url')).toMatchObject({ ok: true, url })
  })

  test('tells it from a sub-agent too, in the message of that agent', async () => {
    const turns = { master: [[asking('guide')], done], guide: [[calling('open-url', { url })], done] }
    const { bytes, messages } = await runOf(turns)
    const data = { type: 'data-ui-event', data: { type: 'open-url', url, title: url }, transient: true }
    const guide = messages.find(({ metadata }) => metadata?.agent?.name === 'guide')
    expect(valuesOf(bytes)).toContainEqual({ type: 'data-sub-agent', id: guide?.id, transient: true, data })
    expect(JSON.stringify(messages)).not.toContain('data-ui-event')
  })

  test.each([
    ['the master', { master: [[calling('open-url', { url })], done] }],
    ['a sub-agent', { master: [[asking('guide')], done], guide: [[calling('open-url', { url })], done] }],
  ])('tells it after its own call: %s', async (_, turns) => {
    const { entries } = await runOf(turns)
    const event = entryWith(entries, 'data-ui-event')
    const call = entries.find(
      ({ messageId, chunk }) => messageId === event.messageId && chunk.type === 'tool-input-available',
    )
    expect(call?.seq).toBeLessThan(event.seq)
  })

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://example.com/1',
    'about:blank',
    '//example.com',
    '/local',
    '',
  ])('refuses %j', async address => {
    const { entries, messages } = await runOf({ master: [[calling('open-url', { url: address })], done] })
    expect(entries.filter(({ chunk }) => chunk.type === 'data-ui-event')).toEqual([])
    expect(messages.at(-1)?.parts).toMatchObject([
      {},
      { state: 'output-error', errorText: expect.stringContaining('is not an http or https address.') },
      {},
      {},
      { text: 'Done.' },
    ])
  })
})

describe('where the person is', () => {
  test.each([
    ['in a chat', undefined, true],
    ['on a page', onPage, true],
    ['in the settings', inSettings, false],
    ['nowhere known', { tabs: [settingsTab], activeTabId: 'other' }, true],
  ])('decides what agents may do: %s', async (_, context, isThere) => {
    const { toolsOf } = await runOf({ master: [[asking('guide')], done], guide: [done] }, context)
    expect(toolsOf('master').includes('open-url')).toBe(isThere)
    expect(toolsOf('guide').includes('open-url')).toBe(isThere)
    expect(toolsOf('guide')).toContain('getTabs')
  })

  test('an agent that calls a tool it has not is told so', async () => {
    const { entries } = await runOf({ master: [[calling('open-url', { url })], done] }, inSettings)
    expect(entries.filter(({ chunk }) => chunk.type === 'data-ui-event')).toEqual([])
    expect(JSON.stringify(entries)).toContain('tool-input-error')
    expect(entries.at(-1)?.chunk).toMatchObject({ type: 'finish' })
  })

  test.each([
    ['browse', 'settings', false],
    ['browse', 'chat', true],
    ['settings', 'browse', false],
    ['settings', 'settings', false],
  ])('a caller in %s that hands on %s can only take away', async (here, mode, isThere) => {
    const call = calling('subAgent', { name: 'guide', task: 'Guide.', options: { mode } })
    const context = here === 'browse' ? onPage : inSettings
    const { toolsOf } = await runOf({ master: [[call], done], guide: [done] }, context)
    expect(toolsOf('guide').includes('open-url')).toBe(isThere)
  })
})

describe('the tabs', () => {
  const turns = { master: [[calling('getCurrentTab', {}), calling('getTabs', {})], done] }

  test('are told as the page told them', async () => {
    const outputs = outputsOf((await runOf(turns, onPage)).entries)
    const page = { ...pageTab, kind: 'page' }
    expect(outputs.get('call-getCurrentTab')).toEqual(page)
    expect(outputs.get('call-getTabs')).toEqual({ tabs: [page, { ...settingsTab, url: '' }] })
  })

  test('are none when the page told none', async () => {
    const outputs = outputsOf((await runOf(turns)).entries)
    expect(outputs.get('call-getCurrentTab')).toEqual({ note: 'The page told nothing about tabs.' })
    expect(outputs.get('call-getTabs')).toEqual({ tabs: [] })
  })
})

/** What becomes of a question that was asked from there. */
async function runOf(turns: Turns, context?: unknown) {
  const model = scriptedModel(turns)
  await using server = await startDelegation({ model, subAgents: [subAgent('guide', { tools: ['*'] })] })
  const fields = context === undefined ? {} : { context }
  const bytes = Buffer.from(
    await (await ask(server.url, { fields, form: '?subAgents=separate' })).arrayBuffer(),
  )
  const { messages } = await loadChat(server.url)
  const toolsOf = (name: string) =>
    model.doStreamCalls.flatMap(({ prompt: [system], tools = [] }) =>
      JSON.stringify(system).includes(`You are ${name}.`) ? tools.map(each => each.name) : [],
    )
  return { bytes, messages, toolsOf, entries: await readLog(server.url) }
}
