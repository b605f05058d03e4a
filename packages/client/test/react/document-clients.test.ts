import '../dom.ts'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { type DocumentEvent, queryDocumentAgent, useDocumentStream } from './document-hook.ts'

const whole = 'Let me look. \n\nThe sky is clear.'

test('the function of the first description gets the whole answer, and a cost that is a number', async () => {
  await using server = await startTestServer()
  const events: DocumentEvent[] = []
  const grown: string[] = []
  const text = await queryDocumentAgent(server.url, 'How is the weather?', (event, full) => {
    events.push(event)
    grown.push(full)
  })
  expect(text).toBe(whole)
  expect(grown.filter(full => !whole.startsWith(full))).toEqual([])
  const names = events.map(({ type }) => type)
  for (const name of ['step_start', 'tool_call', 'tool_result', 'step_complete'])
    expect(names).toContain(name)
  expect(names.slice(-2)).toEqual(['final', 'usage'])
  expect(events.at(-1)).toMatchObject({ usage: { total_cost: 0, cost_known: false } })
})

test('a second query of the hook into its session gets an answer while the first one streams', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')], after: [say(' and see.')] })
  await using server = await startTestServer({ agents: [agent] })
  await using page = await openPage(server.url)
  const first = page.hook().streamQuery('One', 'trip')
  await expect.poll(() => page.hook().response).toBe('Wait')
  const second = page.hook().streamQuery('Two', 'trip')
  await first
  await expect.poll(async () => statusesOf(server.url)).toEqual(['stopped', 'streaming'])
  letGo()
  await second
  await expect.poll(() => page.hook().response).toBe('Wait and see.')
  expect(page.hook().errors).toEqual([])
})

test('a query of the hook after an abort gets an answer', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')], after: [say(' and see.')] })
  await using server = await startTestServer({ agents: [agent] })
  await using page = await openPage(server.url)
  const first = page.hook().streamQuery('One', 'trip')
  await expect.poll(() => page.hook().response).toBe('Wait')
  page.hook().abort()
  await first
  const second = page.hook().streamQuery('Two', 'trip')
  await expect.poll(async () => statusesOf(server.url)).toEqual(['stopped', 'streaming'])
  letGo()
  await second
  await expect
    .poll(() => page.hook())
    .toMatchObject({ response: 'Wait and see.', isStreaming: false, errors: [] })
})

/** The statuses of the answers in the session. */
async function statusesOf(url: string) {
  const { messages } = await loadChat(url, 'trip')
  return messages.filter(({ role }) => role === 'assistant').map(({ metadata }) => metadata?.status)
}

type Hook = ReturnType<typeof useDocumentStream>

async function openPage(url: string) {
  let shown: Hook | undefined
  const Page = () => {
    shown = useDocumentStream(url)
    return null
  }
  const root = createRoot(document.createElement('div'))
  root.render(createElement(Page))
  await expect.poll(() => shown).toBeDefined()
  return {
    hook(): Hook {
      if (shown === undefined) throw new Error('The page shows nothing.')
      return shown
    },
    async [Symbol.asyncDispose]() {
      root.unmount()
    },
  }
}
