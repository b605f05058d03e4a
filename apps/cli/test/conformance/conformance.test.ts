import { readFile } from 'node:fs/promises'
import type { AgentEvent } from '@throughline/agents'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { startTestServer } from '@throughline/testing/server/test-server'
import { approvalServer } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'
import { chosenChecks } from '../../src/conformance/conformance-command.ts'
import { run } from '../../src/main.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { conformance, startSlowServer, tokens, withTokens } from './conformance-run.ts'

describe('throughline conformance', () => {
  test('passes every check of a real server, and leaves no chat behind', async () => {
    await using server = await startSlowServer({ tokens })
    const checked = await conformance(server.url, ...withTokens)
    expect(checked.names('failed')).toEqual([])
    expect(checked.names('skipped')).toEqual(['stream/http-version'])
    expect(checked).toMatchObject({ code: 0, questions: 2 })
    expect(await chatsOf(server.url)).toEqual({ chats: [] })
  })

  test('lists what it could not check with the reason, and does not count it as passed', async () => {
    await using server = await startTestServer({ heartbeatMs: 300 })
    const checked = await conformance(server.url, '--quick')
    expect(checked.names('failed')).toEqual([])
    const reasons = checked.checks.flatMap(({ name, reason }) =>
      reason === undefined ? [] : [[name, reason]],
    )
    expect(Object.fromEntries(reasons)).toMatchObject({
      'stream/steady': expect.stringContaining('Ask for a longer one with --message'),
      'stop/ends': 'the answer ended before. Ask for a longer one with --message',
      'owner/no-token': expect.stringContaining('no --token was given'),
      'owner/other-token': 'no --other-token was given',
      'heartbeat/idle': '--quick leaves out what only waits',
    })
  })

  test('makes one group of checks with what they need', async () => {
    await using server = await startTestServer()
    const checked = await conformance(server.url, '--only', 'resume/log')
    expect(checked.names('passed')).toEqual(['answer/complete', 'stream/open', 'order/log', 'resume/log'])
    expect(checked).toMatchObject({ code: 0, questions: 1, checks: { length: 4 } })
  })

  test('tries some positions of a long answer, and says how many', async () => {
    // Text that comes at once becomes one entry. Each step has entries of its own.
    const steps = Array.from({ length: 40 }, (): readonly AgentEvent[] => [
      { type: 'step-start' },
      say('One step. '),
      { type: 'step-end', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
    ])
    const agents = [scriptedAgent('assistant', [...steps.flat(), finish])]
    await using server = await startTestServer({ agents })
    const checked = await conformance(server.url, '--only', 'resume/log')
    expect(checked.check('resume/log').saw).toMatch(/^100 of \d{3} positions$/)
  })

  test('stops and deletes its chats after Ctrl-C', async () => {
    const held = heldAgent('assistant', { before: [say('Wait')] })
    await using server = await startTestServer({ agents: [held.agent] })
    const terminal = fakeTerminal()
    const interrupts: (() => void)[] = []
    const shell = {
      ...terminal.shell,
      onInterrupt(listener: () => void) {
        interrupts.push(listener)
        return () => {}
      },
    }
    const code = run(['conformance', server.url], shell)
    await expect.poll(() => chatsOf(server.url)).toMatchObject({ chats: { length: 1 } })
    for (const interrupt of interrupts) interrupt()
    expect(await code).toBe(130)
    expect(terminal.text).toContain('Stopped by Ctrl-C.')
    expect(await chatsOf(server.url)).toEqual({ chats: [] })
  })

  test('fails when no token is needed although one was given', async () => {
    await using server = await startTestServer()
    const checked = await conformance(server.url, '--token', 'any', '--only', 'owner/no-token')
    expect(checked.names('failed')).toEqual(['owner/no-token'])
    expect(checked.code).toBe(1)
  })

  test('fails when the other token belongs to the same user', async () => {
    await using server = await startTestServer({ tokens })
    const words = ['--token', 'ada-secret', '--other-token', 'ada-secret', '--only', 'owner/other-token']
    const { advice, result } = (await conformance(server.url, ...words)).check('owner/other-token')
    expect(result).toBe('failed')
    expect(advice).toContain('Check that the two tokens belong to two users.')
  })

  test('says that an answer waits for an approval, and still removes its chat', async () => {
    const { url, server } = await approvalServer()
    await using _server = server
    const { came, advice } = (await conformance(url, '--only', 'answer')).check('answer/complete')
    expect(came).toBe('an answer that waits for the approval of a tool call')
    expect(advice).toContain('--agent or --message')
    expect(await chatsOf(url)).toEqual({ chats: [] })
  })

  test('says what an agent that does not exist leads to', async () => {
    await using server = await startTestServer()
    const checked = await conformance(server.url, '--agent', 'nobody', '--only', 'answer')
    expect(checked.check('answer/complete').came).toContain('400 unknown-agent There is no agent "nobody".')
  })
})

test('the guide has a row for every check, in the same order', async () => {
  const guide = await readFile(new URL('../../../../docs/guides/conformance.md', import.meta.url), 'utf8')
  const [, table = ''] = guide.split('## What is checked')
  const firstCells = table.split('\n').flatMap(line => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? [])
  const names = firstCells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(names).toEqual(chosenChecks(undefined).map(({ name }) => name))
})

describe('a server that cannot be checked', () => {
  test('is not reached: exit code 2', async () => {
    const server = await startTestServer()
    await server[Symbol.asyncDispose]()
    expect(await printedBy([server.url])).toMatchObject({
      code: 2,
      text: expect.stringContaining(`${server.url} cannot be checked: connect ECONNREFUSED`),
    })
  })

  test('needs a token: exit code 2', async () => {
    await using server = await startTestServer({ tokens })
    const { code, text } = await printedBy([server.url])
    expect({ code, text }).toEqual({
      code: 2,
      text: `${server.url} cannot be checked: it needs a token. Give it with THROUGHLINE_TOKEN or --token.\n`,
    })
  })

  test('is something else: exit code 2', async () => {
    await using server = await startTestServer()
    const { code, text } = await printedBy([`${server.url}/elsewhere`])
    expect(code).toBe(2)
    expect(text).toContain('404 route-not-found')
  })
})

async function printedBy(words: readonly string[]) {
  const terminal = fakeTerminal()
  const code = await run(['conformance', ...words], terminal.shell)
  return { code, text: terminal.text }
}

async function chatsOf(url: string): Promise<unknown> {
  const response = await fetch(`${url}/api/chats`, { headers: { authorization: 'Bearer ada-secret' } })
  return response.json()
}
