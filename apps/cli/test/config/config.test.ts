import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineAgent } from '@throughline/agents'
import { telegramChannel, webhookChannel } from '@throughline/channels'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { assertConfig } from '../../src/config/check-config.ts'
import { createThroughline, type ThroughlineOptions } from '../../src/serve/create-throughline.ts'
import { installedChannels } from '../../src/serve/install.ts'
import { startFailure } from '../../src/serve/serve-command.ts'
import { settingsFromEnv } from '../../src/settings/settings.ts'
import { startProgram } from '../start-program.ts'

const reader = { name: 'reader', description: 'Reads.', instructions: 'Read.' }
const hook = webhookChannel({ url: 'https://example.com', secret: 'sixteen characters' })
const clock = tool({ description: 'Tells the time.', inputSchema: z.object({}), execute: () => 'noon' })

test('a configuration with every option is taken', () => {
  expect(() =>
    assertConfig({
      master: { name: 'boss', toolKeys: ['*'], allowedSubAgents: ['reader'], examples: ['Hello'] },
      agents: [defineAgent({ ...reader, tools: ['clock'], maxDepth: 0, maxSteps: 3 })],
      models: ['openai:gpt', { provider: 'mine', modelId: 'own' }],
      tools: { clock },
      mcp: { files: { command: 'files', tools: ['*'] } },
      approvals: { clock: true, files_write: () => false },
      prices: { 'openai:gpt': { input: 1, output: 2.5, cachedInput: 0 } },
      limits: { maxDepth: 0, maxSteps: 5, maxRunMs: 60_000 },
      stream: { maxDelayMs: 0, maxChars: 1, heartbeatMs: 25_000 },
      retention: { maxAgeDays: 30, maxEntriesPerChat: 1 },
      idempotent: ['clock'],
      continue: false,
      titles: false,
      sharing: false,
      channels: { crm: { channel: hook, owner: 'local', minChars: 40, streaming: 'final' } },
      authenticate: () => undefined,
      authenticateMs: 5_000,
      origins: ['https://app.example'],
      ticketMs: 10_000,
      allowHosts: ['intranet.example:8080'],
    }),
  ).not.toThrow()
})

test.each([
  [{ agnts: [] }, 'there is no option "agnts". Did you mean "agents"?'],
  [[], 'it must be an object in braces.'],
  [{ master: { toolKey: [] } }, 'master: there is no option "toolKey". Did you mean "toolKeys"?'],
  [
    { master: { toolKeys: 'web_fetch' } },
    'master.toolKeys: it must be a list of texts, and it is another text.',
  ],
  [
    { master: { name: 'user::ann' } },
    'master.name: it must be the name of an agent, which does not begin with "user::"',
  ],
  [
    { models: 'demo' },
    'models: it must be a list of models, such as ["openai:gpt-5"], and it is another text.',
  ],
  [{ agents: [reader] }, 'agents[0]: it is not made with defineAgent({ … }).'],
  [
    { agents: [defineAgent(reader), defineAgent(reader)] },
    'agents[1]: there are two agents called "reader". Rename one of them.',
  ],
  [{ tools: { 'send mail': clock } }, 'tools.send mail: the key of a tool has up to 64 letters'],
  [
    { tools: { clock: { ...clock, mode: ['chat'] } } },
    'tools.clock: there is no option "mode". Did you mean "modes"?',
  ],
  [
    { tools: { clock: { ...clock, modes: ['chatt'] } } },
    'tools.clock: there is no mode "chatt". Did you mean "chat"?',
  ],
  [{ tools: { clock: { ...clock, modes: [] } } }, 'tools.clock: modes must be a list of one or more of'],
  [{ tools: { clock: 'noon' } }, "tools.clock: it is not made with the AI SDK's tool({ … })."],
  [
    { tools: { clock: { ...clock, needsApproval: 'yes' } } },
    'tools.clock: needsApproval must be true, false or a function.',
  ],
  [{ mcp: { files: { command: 'files', tols: [] } } }, 'mcp.files: '],
  [{ approvals: { clock: false } }, 'approvals.clock: it must be true or a function, and it is false.'],
  [{ idempotent: 'clock' }, 'idempotent: it must be a list of texts, and it is another text.'],
  [{ continue: 'no' }, 'continue: it must be true or false'],
  [{ titles: 'no' }, 'titles: it must be true or false'],
  [{ sharing: 'off' }, 'sharing: it must be true or false'],
  [{ clientTools: 'off' }, 'clientTools: it must be true or false'],
  [{ prices: { gpt: { input: 1, output: 1 } } }, 'prices["gpt"]: the key of a price is "provider:model"'],
  [
    { prices: { 'a:b': { input: -1, output: 1 } } },
    'prices["a:b"].input: it must be a number that is not negative',
  ],
  [{ prices: { 'a:b': { inputs: 1, output: 1 } } }, 'there is no option "inputs". Did you mean "input"?'],
  [{ prices: { 'a:b': { input: 1 } } }, 'prices["a:b"]: it needs "output"'],
  [
    { prices: { 'a:b': { input: 1, output: 1, long: { input: 1, output: 1 } } } },
    'it needs "aboveInputTokens"',
  ],
  [
    { prices: { 'a:b': { input: 1, output: 1, later: { input: 1, output: 1, from: 'soon' } } } },
    'prices["a:b"].later.from: it must be a day such as',
  ],
  [{ limits: { maxStep: 3 } }, 'limits: there is no option "maxStep". Did you mean "maxSteps"?'],
  [{ limits: { maxSteps: 0 } }, 'limits.maxSteps: it must be a whole number from 1 to'],
  [{ limits: { maxRunMs: Number.POSITIVE_INFINITY } }, 'limits.maxRunMs: it must be a whole number'],
  [{ limits: { maxTokens: '5' } }, 'limits.maxTokens: it must be a whole number'],
  [{ retention: { maxAgeDays: 0 } }, 'retention.maxAgeDays: it must be a whole number from 1 to 36500'],
  [{ retention: { maxAgeDay: 30 } }, 'retention: there is no option "maxAgeDay". Did you mean "maxAgeDays"?'],
  [{ stream: { heartbeatMs: 30_001 } }, 'stream.heartbeatMs: it must be a whole number from 1000 to 25000'],
  [{ stream: { maxDelay: 50 } }, 'stream: there is no option "maxDelay". Did you mean "maxDelayMs"?'],
  [{ stream: { maxChars: 0 } }, 'stream.maxChars: it must be a whole number from 1 to 10000'],
  [
    { channels: { crm: { channel: hook, minChar: 40 } } },
    'channels.crm: there is no option "minChar". Did you mean "minChars"?',
  ],
  [{ channels: { crm: { channel: hook, streaming: 'edits' } } }, 'it must be one of blocks, edit, final'],
  [{ channels: { crm: hook } }, 'channels.crm: there is no option "kind".'],
  [{ authenticate: true }, 'authenticate: it must be a function, and it is true.'],
  [{ authenticateMs: 10 }, 'authenticateMs: it must be a whole number from 100 to 60000'],
  [{ origins: 'https://app.example' }, 'origins: it must be a list of texts'],
  [{ ticketMs: 10 }, 'ticketMs: it must be a whole number from 1000 to 3600000'],
  [{ allowHosts: 'intranet' }, 'allowHosts: it must be a list of texts'],
])('the configuration %j is refused', (config, expected) => {
  expect(() => assertConfig(config)).toThrow('throughline.config.ts: ')
  expect(() => assertConfig(config)).toThrow(expected)
})

test('an agent with an option that does not exist, or cannot work, is not made', () => {
  const make = (options: object) => () => defineAgent({ ...reader, ...options })
  expect(make({ tool: ['web_fetch'] })).toThrow('there is no option "tool". Did you mean "tools"?')
  expect(make({ name: 'a b' })).toThrow('the name is not allowed.')
  expect(make({ instructions: undefined })).toThrow(
    'instructions must be a text, or a function that returns one.',
  )
  expect(make({ tools: 'web_fetch' })).toThrow('tools must be a list of keys.')
  expect(make({ maxSteps: 0 })).toThrow('maxSteps must be a whole number from 1 on.')
  expect(make({ maxDepth: -1 })).toThrow('maxDepth must be a whole number from 0 on.')
})

describe('of a channel,', () => {
  test('a misspelled list of those who may write lets nobody in: it is refused', () => {
    const senders = { url: 'https://example.com', secret: 'sixteen characters', allowSender: ['ada'] }
    expect(() => webhookChannel(senders)).toThrow(
      'there is no option "allowSender". Did you mean "allowSenders"?',
    )
    const users = { token: '1:a', allowUsers: [1], approver: [1] }
    expect(() => telegramChannel(users)).toThrow('there is no option "approver". Did you mean "approvers"?')
  })

  test('the owner is somebody who can see its chats', () => {
    const channels = (owner?: string) => ({ channels: { crm: { channel: hook, ...(owner && { owner }) } } })
    const tokens = settingsFromEnv({ THROUGHLINE_TOKENS: 'ada:sixteen-characters' })
    const noTokens = settingsFromEnv({})
    expect(installedChannels(channels('ada'), tokens).get('crm')?.ownerId).toBe('ada')
    expect(installedChannels(channels(), noTokens).get('crm')?.ownerId).toBe('local')
    expect(() => installedChannels(channels(), tokens)).toThrow('nobody is called "local". There are: ada.')
    expect(() => installedChannels(channels('adda'), tokens)).toThrow('Did you mean "ada"?')
    expect(() => installedChannels(channels('ada'), noTokens)).toThrow('nobody is called "ada".')
  })

  test('the owner is named when the application decides who its users are', () => {
    const channels = (owner?: string) => ({
      authenticate: () => undefined,
      channels: { crm: { channel: hook, ...(owner && { owner }) } },
    })
    const settings = settingsFromEnv({})
    expect(installedChannels(channels('user-7'), settings).get('crm')?.ownerId).toBe('user-7')
    expect(() => installedChannels(channels(), settings)).toThrow('channels.crm.owner: it is missing.')
    expect(() => installedChannels(channels('a b'), settings)).toThrow('it is not allowed. Name the ownerId')
  })
})

describe('of the environment,', () => {
  test('a variable of ours that does not exist is refused', () => {
    expect(() => settingsFromEnv({ THROUGHLINE_TOKNES: 'ada:secret' })).toThrow(
      'THROUGHLINE_TOKNES: there is no such setting. Did you mean "THROUGHLINE_TOKENS"?',
    )
  })

  test.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
    ['off', undefined],
    ['', undefined],
  ])('THROUGHLINE_METRICS=%s says where metrics are served', (text, expected) => {
    expect(settingsFromEnv({ THROUGHLINE_METRICS: text }).metricsAt).toEqual(expected)
  })

  test.each(['on', '127.0.0.1', '127.0.0.1:', '127.0.0.1:99999'])(
    'THROUGHLINE_METRICS=%s is refused',
    text => {
      expect(() => settingsFromEnv({ THROUGHLINE_METRICS: text })).toThrow(
        /^THROUGHLINE_METRICS: ".*" is not a port/,
      )
    },
  )

  test('THROUGHLINE_OPERATORS names users, and a name that nobody can have is refused', () => {
    expect(settingsFromEnv({ THROUGHLINE_OPERATORS: 'ada, bob' }).operators).toEqual(['ada', 'bob'])
    expect(settingsFromEnv({ THROUGHLINE_OPERATORS: '' }).operators).toBeUndefined()
    expect(() => settingsFromEnv({ THROUGHLINE_OPERATORS: 'ada lovelace' })).toThrow(
      'THROUGHLINE_OPERATORS: a user name is not allowed.',
    )
  })

  test('a token that two users share is refused', () => {
    const env = { THROUGHLINE_TOKENS: 'ada:sixteen-characters,bob:sixteen-characters' }
    expect(() => settingsFromEnv(env)).toThrow('one token is there twice.')
  })

  test('tokens may be in a file, one in a line, with comments', async () => {
    await using file = await tokensFile(
      '\uFEFF# The team\r\nada:sixteen-characters\r\n\n  bob:and:a:colon:in:it\n',
    )
    const { tokens } = settingsFromEnv({ THROUGHLINE_TOKENS_FILE: file.path })
    expect([...tokens]).toEqual([
      ['sixteen-characters', 'ada'],
      ['and:a:colon:in:it', 'bob'],
    ])
  })

  test.each([
    ['ada:sixteen-characters\n\nb b:sixteen-characters-2', 'line 3 of PATH: a user name is not allowed.'],
    ['# users\nada:short', 'line 2 of PATH: the token of "ada" is too short to be safe.'],
    ['ada:sixteen characters', 'line 1 of PATH: the token of "ada" has a space in it.'],
    ['ada:sixteen-characters\nbob:sixteen-characters', 'line 2 of PATH: one token is there twice.'],
    ['# nobody yet\n', 'PATH has no token.'],
  ])('a file with the tokens %j is refused, and the line is named', async (text, expected) => {
    await using file = await tokensFile(text)
    const env = { THROUGHLINE_TOKENS_FILE: file.path }
    expect(() => settingsFromEnv(env)).toThrow(
      `THROUGHLINE_TOKENS_FILE: ${expected.replace('PATH', file.path)}`,
    )
  })

  test('a file with tokens that is missing, or beside THROUGHLINE_TOKENS, is refused', () => {
    const missing = { THROUGHLINE_TOKENS_FILE: '/no/such/file' }
    expect(() => settingsFromEnv(missing)).toThrow('THROUGHLINE_TOKENS_FILE: the file cannot be read (ENOENT')
    const both = { ...missing, THROUGHLINE_TOKENS: 'ada:sixteen-characters' }
    expect(() => settingsFromEnv(both)).toThrow('THROUGHLINE_TOKENS is set, too. Set one of them.')
  })
})

describe('a server refuses to start', () => {
  test.each<[string, ThroughlineOptions, string]>([
    [
      'with an approval for a tool that does not exist',
      { approvals: { web_fech: true } },
      'throughline.config.ts: approvals: there is no tool "web_fech". Did you mean "web_fetch"?',
    ],
    [
      'with an idempotent tool that does not exist',
      { idempotent: ['web_fech'] },
      'throughline.config.ts: idempotent: there is no tool "web_fech". Did you mean "web_fetch"?',
    ],
    [
      'with an agent whose tool does not exist',
      { agents: [defineAgent({ ...reader, tools: ['web_fech'] })] },
      'The agent "reader" names the tool "web_fech", which does not exist. Did you mean "web_fetch"?',
    ],
    [
      'with a master whose tool does not exist',
      { master: { toolKeys: ['calculater'] } },
      'The agent "assistant" names the tool "calculater", which does not exist. Did you mean "calculator"?',
    ],
    [
      'with an agent that may ask one that does not exist',
      { agents: [defineAgent({ ...reader, allowedSubAgents: ['broser'] })] },
      '"allowedSubAgents" of the agent "reader" has "broser", which does not exist in code. Did you mean "browser"?',
    ],
    [
      'with an agent that has the name of the master',
      { agents: [defineAgent({ ...reader, name: 'assistant' })] },
      'There are two agents called "assistant".',
    ],
    [
      'with an agent that has the name of the people who answer',
      { agents: [defineAgent({ ...reader, name: 'operator' })] },
      'No agent can be called "operator": that is the name of the people who answer in place of agents.',
    ],
    [
      'with a tool that there is already',
      { tools: { calculator: clock } },
      'throughline.config.ts: tools.calculator: there is a tool of this key already. Rename yours.',
    ],
    [
      'with an origin that no browser sends',
      { origins: ['https://app.example/'] },
      'origins (THROUGHLINE_ORIGINS): "https://app.example/" is not an origin. Write "https://app.example".',
    ],
    [
      'with a channel whose agent does not exist',
      { channels: { crm: { agent: 'asistant', channel: hook } } },
      'Did you mean "assistant"?',
    ],
  ])('%s', async (_, config, expected) => {
    await using folder = await temporaryFolder()
    const env = { THROUGHLINE_DATA: folder.path, THROUGHLINE_LOG: 'silent' }
    const error: unknown = await createThroughline({ ...config, env }).catch(reason => reason)
    // The command prints this sentence and no stack.
    const sentence = startFailure(error, settingsFromEnv(env))?.message
    expect(sentence).toContain(expected)
    expect(sentence).not.toContain('\n')
  })

  test('and the command says why in one sentence, and ends with 1', async () => {
    await using folder = await folderWith('export default { approvals: { web_fech: true } }')
    expect(await serveIn(folder.path).ended).toMatchObject({
      code: 1,
      errors: 'throughline.config.ts: approvals: there is no tool "web_fech". Did you mean "web_fetch"?\n',
    })
  })
})

test('a tool that is missing for now is told in the log, and the server starts', async () => {
  await using folder = await folderWith(
    `export default {
      agents: [defineAgent({ ...reader, tools: ['web_search', 'tickets_find'] })],
      mcp: { tickets: { command: '/no/such/program', tools: ['*'] } },
      approvals: { tickets_delete: true },
    }`,
  )
  const server = serveIn(folder.path)
  await server.until('Throughline listens at')
  server.signal('SIGTERM')
  const { output } = await server.ended
  expect(output).toContain('The agent \\"reader\\" does not have the tool \\"web_search\\": set SEARXNG_URL')
  expect(output).toContain('the tool \\"tickets_find\\": the MCP server \\"tickets\\" could not be reached')
})

test('an idle stream says that it is alive as often as the configuration says (R16)', async () => {
  await using folder = await folderWith('export default { stream: { heartbeatMs: 1_000, maxDelayMs: 20 } }')
  const server = serveIn(folder.path)
  const [, url] = /listens at (\S+)/.exec(await server.until(' with the model')) ?? []
  await sendJson(`${url}/api/chats`, { id: 'quiet' })
  await using log = new SseBytes(await fetch(`${url}/api/chats/quiet/log`))
  expect((await log.until(': heartbeat\n\n')).toString()).toBe('retry: 1000\n\n: heartbeat\n\n')
  server.signal('SIGTERM')
  await server.ended
})

test('pages of the origins in the configuration and in the environment may use the server', async () => {
  await using folder = await folderWith(`export default { origins: ['https://app.example'] }`)
  const server = serveIn(folder.path, { THROUGHLINE_ORIGINS: 'http://localhost:5173, https://b.example' })
  const [, url] = /listens at (\S+)/.exec(await server.until(' with the model')) ?? []
  for (const origin of ['https://app.example', 'http://localhost:5173', 'https://b.example']) {
    const { headers } = await fetch(`${url}/api/chats`, { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(origin)
  }
  expect((await fetch(`${url}/api/chats`, { headers: { origin: 'https://c.example' } })).status).toBe(403)
  server.signal('SIGTERM')
  await server.ended
})

/** A folder with this configuration, whose code finds the packages of the repository. */
async function folderWith(code: string) {
  const folder = await temporaryFolder()
  const lines = [
    `import { defineAgent } from ${moduleAt('agents/src/definitions/define-agent.ts')}`,
    `import { webhookChannel } from ${moduleAt('channels/src/webhook/webhook-channel.ts')}`,
    `const reader = ${JSON.stringify(reader)}`,
    `const hook = webhookChannel({ url: 'https://example.com', secret: 'sixteen characters' })`,
    code,
  ]
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), lines.join('\n'))
  return folder
}

function serveIn(cwd: string, env: Readonly<Record<string, string>> = {}) {
  return startProgram(['serve'], { PORT: '0', THROUGHLINE_LOG: 'warn', ...env }, { cwd })
}

function moduleAt(path: string): string {
  return JSON.stringify(new URL(`../../../../packages/${path}`, import.meta.url).href)
}

async function tokensFile(text: string) {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'tokens')
  await writeFile(path, text)
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}
