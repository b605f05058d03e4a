import { readFile } from 'node:fs/promises'
import { type KeyedAgent, namedAgent } from '@throughline/agents'
import type { Message } from '@throughline/protocol'
import { textToolTextParts } from '@throughline/testing/agent/text-tool-text'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sandboxes, turns } from './ai-sdk-harness/my-agent.ts'
import config from './ai-sdk-harness/throughline.config.ts'

// The real HarnessAgent, with the configuration of the guide. Only the runtime behind it is scripted.

test('text, a tool call with its result, and text come through, and the usage of both steps', async () => {
  const { parts, metadata } = await answerTo('How is the weather?', 'weather')
  expect(parts).toMatchObject(textToolTextParts)
  expect(metadata).toMatchObject({ status: 'finished', finishReason: 'stop' })
  expect(metadata?.usage).toMatchObject({
    inputTokens: 20,
    outputTokens: 10,
    reasoningTokens: 6,
    byModel: { 'harness:scripted:model': { calls: 2 } },
  })
})

test('reasoning comes through as reasoning', async () => {
  const { parts } = await answerTo('Think', 'reasoning')
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'They greet me.' },
    { type: 'text', text: 'Hello!' },
  ])
})

test('a call that the runtime makes itself has its error', async () => {
  const { parts } = await answerTo('Run', 'run')
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-bash',
      state: 'output-error',
      input: { command: 'make' },
      errorText: '{"exitCode":2}',
    }),
  )
})

test('a file that the runtime changes is shown as a call', async () => {
  const { parts } = await answerTo('Change', 'file')
  const change = { event: 'create', path: 'TODO.md' }
  expect(parts).toContainEqual(
    expect.objectContaining({ toolName: 'fileChange', state: 'output-available', output: change }),
  )
})

test('when the runtime fails, the answer fails, and what was said is kept', async () => {
  const { parts, metadata } = await answerTo('Break', 'error')
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is ' }))
  expect(metadata).toMatchObject({ status: 'failed' })
})

test('a stop reaches the runtime, what was said is kept, and the same session answers again', async () => {
  await using server = await serve()
  const question = { chatId: 'stop' }
  const reading = ask(server.url, { ...question, text: 'Wait' }).then(response => response.text())
  await expect
    .poll(async () => JSON.stringify((await loadAnswer(server.url, 'stop')).parts))
    .toContain('One moment.')
  const turn = turns.at(-1)
  const opened = sandboxes.length
  await stop(server.url, 'stop')
  await reading
  const { parts, metadata } = await loadAnswer(server.url, 'stop')
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
  expect(metadata?.status).toBe('stopped')
  expect(turn?.signal?.aborted).toBe(true)
  await (await ask(server.url, { ...question, messageId: 'second', text: 'Think' })).text()
  expect((await loadAnswer(server.url, 'stop')).metadata?.status).toBe('finished')
  expect(sandboxes.length).toBe(opened)
})

test('a chat has one session, and the runtime is asked only the new message', async () => {
  await using server = await serve()
  const opened = sandboxes.length
  await (await ask(server.url, { chatId: 'long', text: 'Think' })).text()
  await (await ask(server.url, { chatId: 'long', messageId: 'second', text: 'Change' })).text()
  expect(sandboxes.length - opened).toBe(1)
  expect(turns.at(-1)?.prompt).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'Change' }] })
  await (await ask(server.url, { chatId: 'other', text: 'Think' })).text()
  expect(sandboxes.length - opened).toBe(2)
})

test('a tool that asks for approval fails with an error that says so, and the next question is answered', async () => {
  await using server = await serve()
  await (await ask(server.url, { chatId: 'approval', text: 'Ask me' })).text()
  const { parts, metadata } = await loadAnswer(server.url, 'approval')
  expect(parts).toContainEqual(
    expect.objectContaining({ type: 'tool-refund', errorText: expect.stringContaining('asks for approval') }),
  )
  expect(metadata?.status).toBe('failed')
  await (await ask(server.url, { chatId: 'approval', messageId: 'second', text: 'Think' })).text()
  expect((await loadAnswer(server.url, 'approval')).metadata?.status).toBe('finished')
})

test('the guide has this configuration', async () => {
  const guide = await readFile(new URL('../docs/guides/bring-your-agent.md', import.meta.url), 'utf8')
  const code = await readFile(new URL('ai-sdk-harness/throughline.config.ts', import.meta.url), 'utf8')
  expect(guide).toContain(`\`\`\`ts\n${code}\`\`\``)
})

function serve() {
  const { coder } = z.object({ coder: z.custom<KeyedAgent>() }).parse(config.agents)
  return startTestServer({ agents: [namedAgent('coder', coder)] })
}

async function answerTo(text: string, chatId: string): Promise<Message> {
  await using server = await serve()
  await (await ask(server.url, { chatId, text })).text()
  return await loadAnswer(server.url, chatId)
}
