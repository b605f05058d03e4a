import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Entry,
  isEndChunk,
  isToolPart,
  type Message,
  parseEntry,
  toolNameOf,
} from '@throughline/protocol'
import type { CrashScenario } from '@throughline/testing/agent/crash-model'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { loadAnswer, loadChat, submit } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { messagesBy, replay } from '@throughline/testing/http/read-log'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { linesIn, startCrashing } from '@throughline/testing/server/crashing-server'
import { describe, expect, test } from 'vitest'

// Each model call is 10 tokens in and 5 out. A call that was cut off is not counted.
const tokensOf = (calls: number) => ({ totalTokens: 15 * calls, byModel: { 'test:crash': { calls } } })

describe('after kill -9 and a restart, an answer goes on that was cut', () => {
  test('in the middle of a text', async () => {
    await using crash = await crashed('text', '"delta":"One. Two. "')
    const { answer, prompts } = await crash.goesOn()
    expect(outline(answer)).toEqual(['step', 'One. Two. ', 'continued', 'step', 'And so on.'])
    expect(rolesIn(prompts.at(-1))).toEqual(['system', 'user', 'assistant', 'user'])
    expect(prompts.at(-1)).toContain('Go on exactly where it ends')
    expect(answer.metadata?.usage).toMatchObject(tokensOf(1))
  })

  test('in the middle of reasoning, which the model does not read again', async () => {
    await using crash = await crashed('reasoning', 'I think about it')
    const { answer, prompts } = await crash.goesOn()
    expect(outline(answer)).toEqual(['step', '(I think about it)', 'continued', 'step', 'Thought anew.'])
    expect(rolesIn(prompts.at(-1))).toEqual(['system', 'user'])
  })

  test('in the middle of the input of a call, which is never made', async () => {
    await using crash = await crashed('input', '"inputTextDelta"')
    const { answer, prompts, effects } = await crash.goesOn()
    expect(outline(answer)).toEqual([
      'step',
      'Let me see. ',
      'pay: Interrupted: its input never arrived in full.',
      'continued',
      'step',
      'And so on.',
    ])
    expect(prompts.at(-1)).not.toContain('half')
    expect(effects).toEqual([])
  })

  test('while a tool works: the call is not repeated, and the model reads that its outcome is unknown', async () => {
    await using crash = await crashed('pay', '"status":"running"', 1)
    const { answer, effects, prompts } = await crash.goesOn()
    expect(outline(answer)).toEqual([
      'step',
      expect.stringContaining('pay: The outcome of this call is unknown'),
      'continued',
      'step',
      expect.stringContaining('The outcome of this call is unknown'),
    ])
    expect(effects).toHaveLength(1)
    expect(rolesIn(prompts.at(-1))).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(answer.metadata?.usage).toMatchObject(tokensOf(2))
  })

  test('while an idempotent tool works: the call is repeated under the same id and with the same key', async () => {
    await using crash = await crashed('look', '"status":"running"', 1)
    const { answer, effects, runId } = await crash.goesOn()
    expect(outline(answer)).toEqual([
      'step',
      'look: {"done":"it"}',
      'continued',
      'step',
      expect.stringContaining('{"done":"it"}'),
    ])
    expect(effects).toEqual([`look it ${runId}:call-look`, `look it ${runId}:call-look`])
    expect(answer.metadata?.usage).toMatchObject(tokensOf(2))
  })

  test('after the result of a tool: the result is kept, and the tool does not run again', async () => {
    await using crash = await crashed('write', 'The tool said', 1)
    const { answer, effects } = await crash.goesOn()
    expect(outline(answer).slice(0, 5)).toEqual([
      'step',
      'write: {"done":"it"}',
      'step',
      expect.stringContaining('The tool said'),
      'continued',
    ])
    expect(effects).toHaveLength(1)
    expect(answer.metadata?.usage).toMatchObject(tokensOf(2))
  })

  test('while a call waits for a person: it goes on waiting, and runs once it is approved', async () => {
    await using crash = await crashed('remove', '"tool-approval-request"')
    const { answer, effects } = await crash.goesOn(async url => {
      const answer = await loadAnswer(url)
      expect(answer.parts.find(isToolPart)).toMatchObject({ state: 'approval-requested' })
      const decided = await decide(url, approvalIn(crash.shown), { approved: true })
      expect(decided.status).toBe(200)
    })
    expect(outline(answer).slice(0, 3)).toEqual(['step', 'remove: {"done":"it"}', 'continued'])
    expect(effects).toHaveLength(1)
  })

  test('while a sub-agent works: it goes on in its message, and then its caller gets its result', async () => {
    await using crash = await crashed('ask', 'I work so far.')
    const { answer, messages } = await crash.goesOn()
    const [worker] = messagesBy(messages, 'worker')
    expect(worker?.metadata).toMatchObject({ status: 'finished', usage: tokensOf(1) })
    expect(worker && outline(worker)).toEqual(['step', 'I work so far. ', 'continued', 'step', 'And so on.'])
    expect(answer.parts.find(isToolPart)).toMatchObject({
      toolCallId: worker?.metadata?.parent?.toolCallId,
      output: { ok: true, messageId: worker?.id, summary: 'I work so far. And so on.' },
    })
    expect(outline(answer).slice(2)).toEqual(['continued', 'step', expect.stringContaining('And so on.')])
    expect(answer.metadata?.usage).toMatchObject(tokensOf(3))
  })

  test('while a sub-agent of a sub-agent waits for a person: all of them go on', async () => {
    await using crash = await crashed('nest', '"tool-approval-request"')
    const { answer, messages, effects } = await crash.goesOn(async url => {
      const decided = await decide(url, approvalIn(crash.shown), { approved: true })
      expect(decided.status).toBe(200)
    })
    const [lead] = messagesBy(messages, 'lead')
    const [worker] = messagesBy(messages, 'worker')
    expect(worker && outline(worker).slice(0, 3)).toEqual(['step', 'remove: {"done":"it"}', 'continued'])
    expect(lead && outline(lead).slice(0, 3)).toEqual([
      'step',
      expect.stringContaining(`subAgent: {"ok":true,"messageId":"${worker?.id}"`),
      'continued',
    ])
    expect(outline(answer)[1]).toContain(`subAgent: {"ok":true,"messageId":"${lead?.id}"`)
    expect(effects).toHaveLength(1)
  })

  test('while a sub-agent works that cannot go on: its text so far goes to its caller', async () => {
    await using crash = await crashed('ask-loner', 'I work so far.')
    const { answer, messages } = await crash.goesOn()
    const [loner] = messagesBy(messages, 'loner')
    expect(loner?.metadata).toMatchObject({ status: 'interrupted', statusText: 'The server was restarted.' })
    expect(answer.parts.find(isToolPart)).toMatchObject({
      state: 'output-available',
      output: { ok: false, code: 'INTERRUPTED', messageId: loner?.id, summary: 'I work so far. ' },
    })
    expect(outline(answer).at(-1)).toContain('I work so far.')
  })

  test('after its last step: nothing is asked again, only the end is written', async () => {
    await using crash = await crashed('last', '"finish-step"')
    const { answer, prompts } = await crash.goesOn()
    expect(outline(answer)).toEqual(['step', 'All of it.', 'continued'])
    expect(prompts).toHaveLength(1)
    expect(answer.metadata).toMatchObject({ finishReason: 'stop', usage: tokensOf(1) })
  })
})

test('an answer whose process dies three times, at last when it is alone, ends as interrupted', async () => {
  await using crash = await crashed('silent', '"type":"start"')
  for (const attempt of [1, 2]) {
    await using server = await startCrashing(crash.folder, '--hang')
    await expect.poll(() => linesIn(crash.folder, 'prompts')).toHaveLength(attempt + 1)
    await server.kill()
  }
  await using server = await startCrashing(crash.folder, '--hang')
  const answer = await loadAnswer(server.url)
  expect(answer.metadata).toMatchObject({
    status: 'interrupted',
    statusText: 'This answer was ended because the server died 3 times while it was being written.',
  })
  expect(await linesIn(crash.folder, 'prompts')).toHaveLength(3)
})

test('with "continue: false" an answer ends as interrupted, and no model and no tool is called again', async () => {
  await using crash = await crashed('look', '"status":"running"', 1)
  await using server = await startCrashing(crash.folder, '--no-continue')
  const answer = await loadAnswer(server.url)
  expect(answer.metadata).toMatchObject({
    status: 'interrupted',
    statusText: 'The server was restarted.',
    usage: tokensOf(1),
  })
  expect(outline(answer)).toEqual(['step', 'look: Interrupted: The server was restarted.'])
  expect(await linesIn(crash.folder, 'effects')).toHaveLength(1)
  expect(await linesIn(crash.folder, 'prompts')).toHaveLength(1)
})

interface Crash extends AsyncDisposable {
  readonly folder: string
  /** What a viewer of the log saw before the kill. */
  readonly shown: Buffer
  /** Starts the server again, and waits for the end of the answer. Expects that nothing which was shown has changed. */
  goesOn(meanwhile?: (url: string) => Promise<void>): Promise<Continued>
}

interface Continued {
  readonly answer: Message
  readonly messages: readonly Message[]
  readonly runId: string | undefined
  readonly prompts: readonly string[]
  readonly effects: readonly string[]
}

/** Starts an answer, and kills its server as soon as the log has this text, and a tool has had its effect if it should. */
async function crashed(scenario: CrashScenario, moment: string, effectCount = 0): Promise<Crash> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
  const server = await startCrashing(folder.path, '--hang')
  await submit(server.url, { text: scenario })
  await using log = await followLog(server.url)
  await log.until(moment)
  await expect.poll(() => linesIn(folder.path, 'prompts')).not.toHaveLength(0)
  await expect.poll(() => linesIn(folder.path, 'effects')).toHaveLength(effectCount)
  await server.kill()
  const shown = log.bytes
  return {
    folder: folder.path,
    shown,
    goesOn: meanwhile => goOn({ folder: folder.path, shown }, meanwhile),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

async function goOn(
  { folder, shown }: Pick<Crash, 'folder' | 'shown'>,
  meanwhile?: (url: string) => Promise<void>,
): Promise<Continued> {
  await using server = await startCrashing(folder)
  await meanwhile?.(server.url)
  await using log = await followLog(server.url)
  const before = entriesIn(shown)
  const answerId = before.find(({ chunk }) => chunk.type === 'start')?.messageId
  const isEnd = ({ messageId, chunk }: Entry) => messageId === answerId && isEndChunk(chunk)
  while (!entriesIn(log.bytes).some(isEnd)) await log.more()
  const entries = entriesIn(log.bytes)
  expect(entries.slice(0, before.length)).toEqual(before)
  const { messages } = await loadChat(server.url)
  expect(fromWire(replay(entries))).toEqual(messages)
  const answer = messages.find(({ id }) => id === answerId)
  if (answer === undefined) throw new Error('The answer is gone.')
  expect(answer.metadata?.status).toBe('finished')
  expect(JSON.stringify(messages)).not.toMatch(/"(streaming|running|input-available)"/)
  const [prompts, effects] = [await linesIn(folder, 'prompts'), await linesIn(folder, 'effects')]
  return { answer, messages, runId: before[0]?.runId, prompts, effects }
}

async function followLog(url: string): Promise<SseBytes> {
  const { position } = await loadChat(url)
  const start = position.replace(/\.\d+$/, '.0')
  return new SseBytes(await fetch(`${url}/api/chats/chat/log?after=${start}`))
}

function entriesIn(bytes: Buffer): readonly Entry[] {
  return sseEventsIn(bytes).flatMap(({ data }) => {
    const parsed = data === undefined ? undefined : parseEntry(data)
    return parsed?.type === 'entry' ? [parsed.entry] : []
  })
}

/** Returns the parts of an answer in words. */
function outline({ parts }: Message): readonly string[] {
  return parts.flatMap(part => {
    if (isToolPart(part)) {
      const outcome = part.errorText ?? (part.output === undefined ? part.state : JSON.stringify(part.output))
      return [`${toolNameOf(part)}: ${outcome}`]
    }
    if (part.type === 'step-start') return ['step']
    if (part.type === 'text') return [part.text]
    if (part.type === 'reasoning') return [`(${part.text})`]
    return part.type === 'data-continued' ? ['continued'] : []
  })
}

function rolesIn(prompt: string | undefined): readonly string[] {
  const messages: readonly { readonly role: string }[] = JSON.parse(prompt ?? '[]')
  return messages.map(({ role }) => role)
}
