import type { Message } from '@throughline/protocol'
import { ask, loadChat, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { until } from '@throughline/testing/waits/until'
import { expect, test } from 'vitest'
import { createDemoModel } from '../../src/demo/demo-model.ts'
import { demoTools } from '../../src/demo/demo-tools.ts'
import { demoSubAgents } from '../../src/demo/roles.ts'

test('delegate goes two levels deep, and the master concludes without repeating', async () => {
  await using server = await startDemo()
  const messages = await answersTo(server, 'Delegate: how warm is it in Reykjavik?')
  expect(messages.map(nameAndDepth)).toEqual(['assistant 0', 'researcher 1', 'checker 2'])
  expect(messages.map(({ metadata }) => metadata?.status)).toEqual(['finished', 'finished', 'finished'])
  const [master = '', researcher = '', checker = ''] = messages.map(textOf)
  expect(researcher).toContain('I look up the weather in Reykjavik first.')
  expect(researcher).toMatch(/My finding: -2 °C, which is 28\.4 °F, and that was checked\./)
  expect(checker).toContain('Verdict: correct')
  expect(master).toMatch(/So, now that two agents agree on the number: take a warm coat\.$/)
  expect(master).not.toMatch(/°[CF]|Verdict/)
})

test('delegation in Chinese is Chinese at every depth', async () => {
  await using server = await startDemo()
  const messages = await answersTo(server, '委派')
  expect(messages.map(nameAndDepth)).toEqual(['assistant 0', 'researcher 1', 'checker 2'])
  expect(messages.map(textOf).join('\n')).toMatch(/结论：穿得轻便些就好。.*并且核对过了.*核对结果：正确/s)
})

test('a city that the researcher cannot find gives no conclusion, and no guess', async () => {
  await using server = await startDemo()
  const messages = await answersTo(server, 'Delegate a look at the weather in Atlantis')
  expect(messages.map(nameAndDepth)).toEqual(['assistant 0', 'researcher 1'])
  expect(textOf(messages[1])).toContain('There is no weather for "Atlantis".')
  expect(textOf(messages[0])).toContain('I cannot conclude anything')
})

test.each(['parallel agents', '并行'])(
  '"%s" asks two agents in one step and compares them',
  async question => {
    await using server = await startDemo()
    const messages = await answersTo(server, question)
    expect(messages.map(nameAndDepth)).toEqual(['assistant 0', 'researcher 1', 'researcher 1'])
    const [master] = messages
    const steps = master?.parts.map(({ type }) => type).filter(type => /^(step-start|tool-)/.test(type))
    expect(steps).toEqual(['step-start', 'tool-subAgent', 'tool-subAgent', 'step-start'])
    expect(textOf(master)).toMatch(/by 12 degrees\.|相差 3 度。/)
  },
)

test('an approved call is made, and the answer says so', async () => {
  await using server = await startDemo()
  const messages = await decide(server, { approved: true })
  expect(textOf(messages[0])).toContain('You allowed it, so the report went to team@example.com.')
})

test('a denied call is not made, and the answer says so with the reason', async () => {
  await using server = await startDemo()
  const messages = await decide(server, { approved: false, reason: 'not today' })
  expect(textOf(messages[0])).toMatch(/Nothing was sent\. I was told: ".*not today/)
})

test('refusals are read and explained by whoever was refused', async () => {
  await using server = await startDemo()
  const messages = await answersTo(server, 'refuse')
  expect(messages.map(nameAndDepth)).toEqual(['assistant 0', 'researcher 1'])
  expect(textOf(messages[0])).toContain('`NOT_FOUND`, "There is no agent "astronaut"."')
  expect(textOf(messages[1])).toContain(
    '`NOT_ALLOWED`, ""researcher" may not ask "clumsy"; it may ask checker."',
  )
})

test.each(['broken agent', '出错的智能体'])(
  '"%s": a sub-agent that breaks does not break the answer',
  async question => {
    await using server = await startDemo()
    const messages = await answersTo(server, question)
    expect(messages.map(nameAndDepth)).toEqual(['assistant 0', 'clumsy 1'])
    expect(messages.map(({ metadata }) => metadata?.status)).toEqual(['finished', 'failed'])
    expect(textOf(messages[0])).toContain('`FAILED`')
    expect(textOf(messages[1])).toMatch(/vase|花瓶/)
  },
)

test('open page offers a page to the viewers and says that it opens with a click', async () => {
  await using server = await startDemo()
  const stream = await (await ask(server.url, { text: 'open page' })).text()
  expect(stream).toContain('"type":"data-ui-event"')
  expect(stream).toContain('https://example.com/')
  const { messages } = await loadChat(server.url)
  expect(textOf(messages.at(-1))).toContain('It opens when you click')
})

test.each(['delegate', 'parallel agents', 'refuse', 'broken agent', 'browser', 'approve'])(
  'without what "%s" needs, the answer says so',
  async question => {
    await using server = await startTestServer(defaultInstallation(instantModel))
    const [answer] = await answersTo(server, question)
    expect(answer?.metadata?.status).toBe('finished')
    expect(textOf(answer)).toMatch(/no such agent|was not given/)
  },
)

const instantModel = createDemoModel({ wait: async () => {} })

function startDemo(): Promise<TestServer> {
  return startTestServer(
    defaultInstallation(instantModel, { subAgents: demoSubAgents(), tools: demoTools() }),
  )
}

/** All messages of one answer, the master's first. */
async function answersTo({ url }: TestServer, text: string): Promise<readonly Message[]> {
  await (await ask(url, { text })).text()
  return answers(url)
}

async function answers(url: string): Promise<readonly Message[]> {
  const { messages } = await loadChat(url)
  return messages.filter(({ role }) => role === 'assistant')
}

async function decide(
  { url }: TestServer,
  decision: { readonly approved: boolean; readonly reason?: string },
): Promise<readonly Message[]> {
  await submit(url, { text: 'approve' })
  const approvalId = await until(async () => approvalIn(await answers(url)))
  expect((await sendJson(`${url}/api/approvals/${approvalId}`, decision)).status).toBe(200)
  await until(async () => (await answers(url))[0]?.metadata?.status === 'finished')
  return answers(url)
}

function approvalIn(messages: readonly Message[]): string | undefined {
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if ('approval' in part && part.approval !== undefined) return part.approval.id
  }
  return undefined
}

function nameAndDepth({ metadata }: Message): string {
  return `${metadata?.agent?.name} ${metadata?.agent?.depth}`
}

function textOf(message: Message | undefined): string {
  return message?.parts.map(part => (part.type === 'text' ? part.text : '')).join('\n') ?? ''
}
