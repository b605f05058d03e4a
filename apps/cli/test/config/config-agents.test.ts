import { type AgentEvent, defineAgent, type KeyedAgent } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { finish, say } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, problemOf } from '@throughline/testing/http/chat-requests'
import { messagesBy, outputsOf, readLog, replay } from '@throughline/testing/http/read-log'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { ToolLoopAgent } from 'ai'
import { describe, expect, test } from 'vitest'
import { assertConfig } from '../../src/config/check-config.ts'
import type { Config } from '../../src/config/config.ts'
import { installedAgents } from '../../src/serve/installed-agents.ts'

const done = [saying('Done.')]
const support: KeyedAgent = {
  description: 'Helps with orders.',
  async *run() {
    yield say('Your order is on its way.')
    yield finish
  },
}
const reader = { name: 'reader', description: 'Reads.', instructions: 'You are reader.' }

describe('of agents in an object,', () => {
  test('people can talk to each, and the master answers when a request names none', async () => {
    const turns = { master: [[saying('I am the master.')]], reader: [[saying('I read.')]] }
    await using server = await serve({ agents: { support, reader: defineAgent(reader) } }, turns)
    expect(await answerOf(server)).toBe('I am the master.')
    expect(await answerOf(server, 'support')).toBe('Your order is on its way.')
    // It has no model of its own, and nobody has called it.
    expect(await answerOf(server, 'reader')).toBe('I read.')
    const { metadata } = await loadAnswer(server.url, 'support')
    expect(metadata).toMatchObject({ senderName: 'support', agent: { kind: 'master', name: 'support' } })
  })

  test('each is listed with its name and description, the default one first', async () => {
    await using server = await serve({ agents: { support, reader: defineAgent(reader) } }, {})
    const { agents, subAgents } = await (await fetch(`${server.url}/api/agents`)).json()
    expect(agents).toMatchObject([
      { name: 'master' },
      { name: 'support', displayName: 'support', description: 'Helps with orders.' },
      { name: 'reader', description: 'Reads.' },
    ])
    expect(subAgents).toContainEqual({
      source: 'code',
      name: 'support',
      displayName: 'support',
      description: 'Helps with orders.',
      enabled: true,
      allowedSubAgents: [],
      toolKeys: [],
    })
  })

  test('each may delegate to the others and to the master, where it is allowed to', async () => {
    const turns = {
      master: [[asking('support')], [saying('The order is on its way.')]],
      reader: [[asking('master')], done],
    }
    const agents = { support, reader: defineAgent({ ...reader, allowedSubAgents: ['*'] }) }
    await using server = await serve({ agents }, turns)
    expect(await answerOf(server, 'reader')).toBe('Done.')
    const entries = await readLog(server.url, 'reader')
    expect(messagesBy(replay(entries), 'support').map(textOf)).toEqual(['Your order is on its way.'])
    expect(outputsOf(entries).get('ask-support')).toMatchObject({
      ok: true,
      summary: 'Your order is on its way.',
    })
    expect(outputsOf(entries).get('ask-master')).toMatchObject({
      ok: true,
      summary: 'The order is on its way.',
    })
  })

  test('one can be the default agent, and then there is no other master', async () => {
    await using server = await serve(
      { master: 'support', agents: { reader: defineAgent(reader), support } },
      {},
    )
    expect(await answerOf(server)).toBe('Your order is on its way.')
    const { agents } = await (await fetch(`${server.url}/api/agents`)).json()
    expect(agents).toMatchObject([{ name: 'support' }, { name: 'reader' }])
  })

  test('one that is switched off is not listed, and a message to it is refused', async () => {
    await using server = await serve({ agents: { support: { ...support, isEnabled: false } } }, {})
    const { agents } = await (await fetch(`${server.url}/api/agents`)).json()
    expect(agents).toMatchObject([{ name: 'master' }])
    const response = await ask(server.url, { fields: { agent: 'support' } })
    expect(await problemOf(response)).toMatchObject({ status: 409, code: 'agent-disabled' })
  })
})

test('agents in a list are sub-agents only, whatever they are made of', async () => {
  const turns = { master: [[asking('support')], done] }
  await using server = await serve({ agents: [{ ...support, name: 'support' }] }, turns)
  expect(await answerOf(server)).toBe('Done.')
  const entries = await readLog(server.url, 'default')
  expect(outputsOf(entries).get('ask-support')).toMatchObject({ ok: true })
  const response = await ask(server.url, { chatId: 'other', fields: { agent: 'support' } })
  expect(await problemOf(response)).toMatchObject({ code: 'unknown-agent' })
})

test.each([
  [{ support: { async *run(): AsyncGenerator<AgentEvent> {} } }],
  [{ support: defineAgent({ ...reader, name: 'support' }) }],
  [[{ name: 'support', async *run(): AsyncGenerator<AgentEvent> {} }]],
  [{}],
])('the agents %j are taken', agents => {
  expect(() => assertConfig({ agents })).not.toThrow()
})

test.each([
  [{ agents: 'support' }, 'agents: it must be an object in braces, such as { support: defineAgent({ … }) }'],
  [{ agents: { support: reader } }, 'agents.support: it is not made with defineAgent({ … }). Make it so, or'],
  [
    { agents: { support: new ToolLoopAgent({ model: scriptedModel({}) }) } },
    'agents.support: it is no agent yet. Write the adapter of its library around it: fromAiSdk(…), fromLangGraph(…)',
  ],
  [{ agents: { support: () => undefined } }, 'agents.support: it is no agent yet.'],
  [{ agents: { support: { asTool: () => undefined } } }, 'fromOpenAIAgents(…), fromPi(() => …) or'],
  [{ agents: { support: { prompt: () => undefined } } }, 'agents.support: it is no agent yet.'],
  [{ agents: { support: undefined } }, 'write your own: { async *run(request) { … } }.'],
  [{ agents: { support: { run: async () => [] } } }, 'its run is an async function. Put a star before it'],
  [{ agents: { 'my agent': support } }, 'agents.my agent: it must be the name of an agent'],
  [
    { agents: { helper: defineAgent(reader) } },
    'agents.helper: its name is "reader". Say "agents: { "reader": … }", or leave out its name.',
  ],
  [
    { agents: { support: { ...support, description: 7 } } },
    'agents.support.description: it must be a text, and it is 7.',
  ],
  [
    { agents: { support: { ...support, toolKeys: 'web_fetch' } } },
    'agents.support.toolKeys: it must be a list of texts',
  ],
  [{ agents: [support] }, 'agents[0].name: it must be the name of an agent'],
  [
    { agents: { assistant: support } },
    'agents.assistant: the master has this name. Rename your agent, or say "master: "assistant""',
  ],
  [{ master: { name: 'support' }, agents: { support } }, 'agents.support: the master has this name.'],
  [
    { master: 'suport', agents: { support } },
    'there is no "suport" in "agents: { … }". Did you mean "support"?',
  ],
  [
    { master: 'support', agents: [{ ...support, name: 'support' }] },
    'there is no "support" in "agents: { … }".',
  ],
])('the configuration %j is refused', (config, expected) => {
  expect(() => assertConfig(config)).toThrow(expected)
})

/** Starts a server with this configuration. Unless the configuration has another one, its master is called `master`. */
async function serve(config: Config, turns: Turns): Promise<TestServer> {
  const model = scriptedModel(turns)
  const master = { name: 'master', instructions: 'You are master.' }
  const complete: Config = { master, ...config }
  assertConfig(complete)
  const { closeTools, ...installation } = await installedAgents(
    complete,
    { name: 'test', model },
    {
      env: {},
      ownData: { folder: 'data', url: undefined },
      hideSecrets: text => text,
      report: () => undefined,
      note: () => undefined,
      warn: () => undefined,
    },
  )
  const server = await startTestServer(installation)
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await closeTools()
    },
  }
}

/** Asks an agent in a chat of its own, and returns its answer. Without a name, the server chooses the agent. */
async function answerOf({ url }: TestServer, agent?: string): Promise<string> {
  const chatId = agent ?? 'default'
  await (await ask(url, { chatId, fields: { agent } })).text()
  const { messages } = await loadChat(url, chatId)
  return messages
    .filter(({ metadata }) => metadata?.agent?.kind === 'master')
    .map(textOf)
    .join()
}
