import { demoTools } from '@throughline/agents/demo'
import { isToolPart } from '@throughline/protocol'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { loadAnswer } from '@throughline/testing/http/chat-requests'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import type { TestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { startChat } from '../fake-terminal.ts'

const prompt = '\nYou › '
const report = { to: 'Ada', text: 'All is well.' }
const question = 'Allow send_report? (y, n, or n REASON) '

test('a call that needs approval is asked for until the answer is a yes or a no', async () => {
  await using server = await startServer()
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Send it')
  expect(await chat.until(question)).toContain(
    '? send_report waits for your approval:\n{\n  "to": "Ada",\n  "text": "All is well."\n}\n',
  )
  chat.enter('maybe')
  await chat.until(question)
  expect(await isSent(server.url)).toBe(false)
  chat.enter('y')
  expect(await chat.until(prompt)).toMatch(/^y\r\n✓ send_report .*\nDone\.\n\nYou › $/)
  expect(await isSent(server.url)).toBe(true)
})

test('a no is told with its reason, and nothing is done', async () => {
  await using server = await startServer()
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Send it')
  await chat.until(question)
  chat.enter('n  too early')
  await chat.until('✗ send_report: not allowed: too early')
  await chat.until(prompt)
  expect(await isSent(server.url)).toBe(false)
})

test('what was typed before a question is no answer to it, and is there again afterwards', async () => {
  const ready = Promise.withResolvers<void>()
  await using server = await startServer(ready.promise)
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Send it')
  await chat.until('Let me see.')
  chat.type('yes, and')
  ready.resolve()
  await chat.until(question)
  chat.enter('n')
  expect(await chat.until(prompt)).toContain('✗ send_report: not allowed')
  await chat.until('yes, and')
  expect(await isSent(server.url)).toBe(false)
})

test('a question that is answered elsewhere is taken back', async () => {
  await using server = await startServer()
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Send it')
  await chat.until(question)
  await decide(server.url, await approvalId(server.url), { approved: true })
  expect(await chat.until(prompt)).toContain('Done.')
  expect(await isSent(server.url)).toBe(true)
})

test('Ctrl-C at a question stops the answer', async () => {
  await using server = await startServer()
  await using chat = startChat(server.url, '--chat', 'chat')
  await chat.until(prompt)
  chat.enter('Send it')
  await chat.until(question)
  chat.press('ctrl-c')
  await chat.until('■ stopped')
  await chat.until(prompt)
  expect(await isSent(server.url)).toBe(false)
})

/** A server whose agent sends a report, which a person must approve. */
function startServer(ready: Promise<void> = Promise.resolve()): Promise<TestServer> {
  async function* asks() {
    yield saying('Let me see.')
    await ready
    yield calling('send_report', report)
  }
  return startDelegation({
    model: scriptedModel({ master: [asks, [saying('Done.')]] }),
    tools: demoTools(),
  })
}

async function isSent(url: string): Promise<boolean> {
  const { parts } = await loadAnswer(url)
  return parts.some(part => isToolPart(part) && part.state === 'output-available')
}

async function approvalId(url: string): Promise<string> {
  const { parts } = await loadAnswer(url)
  const id = parts.flatMap(part => (isToolPart(part) ? [part.approval?.id] : []))[0]
  if (id === undefined) throw new Error('Nobody has asked for an approval.')
  return id
}
