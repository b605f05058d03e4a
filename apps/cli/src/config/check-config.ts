import {
  defaultLimits,
  type MasterAgentOptions,
  type Price,
  type Rates,
  type ToolWithModes,
} from '@throughline/agents'
import { databaseIssue, mcpServerIssue, toolProblem } from '@throughline/agents/internal'
import { isRecord } from '@throughline/protocol'
import { assertAgents, assertMaster } from './check-agents.ts'
import {
  agentName,
  anything,
  assertEach,
  assertIs,
  assertOptions,
  type ChecksOf,
  code,
  refuseSetting,
  text,
  texts,
  type ValueCheck,
  wholeNumber,
  wordIn,
  yesOrNo,
} from './checks.ts'
import type { ChannelConfig, Config, StreamConfig } from './config.ts'

/** Throws a `SettingError` when the configuration has an option that does not exist, or a value that cannot work. */
export function assertConfig(value: unknown): asserts value is Config {
  assertOptions('', value, sections)
  const { master = {}, agents = [], stream = {}, limits = {}, retention = {} } = value
  if (typeof master !== 'string') assertOptions('master', master, masterChecks)
  assertAgents(agents)
  assertMaster(master, agents)
  assertEach('tools', value['tools'] ?? {}, assertTool)
  assertEach('mcp', value['mcp'] ?? {}, assertMcpServer)
  assertEach('databases', value['databases'] ?? {}, assertDatabase)
  assertEach('approvals', value['approvals'] ?? {}, (key, rule) =>
    assertIs(`approvals.${key}`, rule, approval),
  )
  assertEach('prices', value['prices'] ?? {}, assertPrice)
  assertOptions('limits', limits, limitChecks)
  assertOptions('stream', stream, streamChecks)
  assertOptions('retention', retention, retentionChecks)
  assertEach('channels', value['channels'] ?? {}, (name, channel) =>
    assertOptions(`channels.${name}`, channel, channelChecks),
  )
}

const models: ValueCheck = value =>
  Array.isArray(value) && value.every(each => isRecord(each) || text(each) === undefined)
    ? undefined
    : 'a list of models, such as ["openai:gpt-5"]'

const sections: ChecksOf<Config> = {
  master: anything,
  agents: anything,
  models,
  tools: anything,
  mcp: anything,
  databases: anything,
  approvals: anything,
  idempotent: texts,
  prices: anything,
  limits: anything,
  stream: anything,
  retention: anything,
  continue: yesOrNo,
  titles: yesOrNo,
  sharing: yesOrNo,
  clientTools: yesOrNo,
  channels: anything,
  authenticate: code,
  authenticateMs: wholeNumber(100, 60_000),
  origins: texts,
  ticketMs: wholeNumber(1_000, 3_600_000),
  basePath: text,
  page: text,
  allowHosts: texts,
}

const masterChecks: ChecksOf<MasterAgentOptions> = {
  model: anything,
  name: agentName,
  displayName: text,
  description: text,
  instructions: text,
  examples: texts,
  toolKeys: texts,
  allowedSubAgents: texts,
  maxDepth: wholeNumber(0),
}

/** Every limit is a whole number, so a new limit is checked here too. Only a depth may be 0: then nobody delegates. */
const limitChecks: Readonly<Record<string, ValueCheck>> = Object.fromEntries(
  Object.keys(defaultLimits).map(limit => [limit, wholeNumber(limit.endsWith('Depth') ? 0 : 1)]),
)

const streamChecks: ChecksOf<StreamConfig> = {
  maxDelayMs: wholeNumber(0, 1_000),
  maxChars: wholeNumber(1, 10_000),
  heartbeatMs: wholeNumber(1_000, 25_000),
}

const retentionChecks: ChecksOf<NonNullable<Config['retention']>> = {
  maxAgeDays: wholeNumber(1, 36_500),
  maxEntriesPerChat: wholeNumber(1),
}

const channelChecks: ChecksOf<ChannelConfig> = {
  channel: value =>
    isRecord(value) ? undefined : 'made with telegramChannel, webhookChannel or your own code',
  owner: text,
  agent: text,
  workspaceId: text,
  pageId: text,
  minChars: wholeNumber(1),
  maxChars: wholeNumber(1),
  streaming: wordIn('blocks', 'edit', 'final'),
  preference: wordIn('paragraph', 'newline', 'sentence', 'limit'),
  idleMs: wholeNumber(0),
  timeoutMs: wholeNumber(1),
  giveUpMs: wholeNumber(1),
  pauseMs: code,
  isWithSubAgents: yesOrNo,
  isWithTools: yesOrNo,
  onEvent: code,
}

const approval: ValueCheck = value =>
  value === true || typeof value === 'function' ? undefined : 'true or a function'

function assertTool(key: string, tool: unknown): void {
  // Every provider accepts these characters in the name of a tool.
  if (!/^[\w-]{1,64}$/.test(key))
    refuseSetting(`tools.${key}`, 'the key of a tool has up to 64 letters, digits, "_" and "-"')
  if (!isToolLike(tool)) return refuseSetting(`tools.${key}`, "it is not made with the AI SDK's tool({ … })")
  const problem = toolProblem(tool)
  if (problem !== undefined) refuseSetting(`tools.${key}`, problem)
}

function isToolLike(value: unknown): value is ToolWithModes {
  return isRecord(value)
}

function assertMcpServer(name: string, server: unknown): void {
  const issue = mcpServerIssue(server)
  if (issue !== undefined) refuseSetting(`mcp.${name}`, issue)
}

function assertDatabase(name: string, database: unknown): void {
  const issue = databaseIssue(name, database)
  if (issue !== undefined) refuseSetting(`databases.${name}`, issue)
}

/** Throws a `SettingError` unless the value is a price, and the key is the name of a model. */
function assertPrice(model: string, price: unknown): void {
  const where = `prices[${JSON.stringify(model)}]`
  if (!/^[^:]+:.+$/.test(model))
    refuseSetting(where, 'the key of a price is "provider:model", such as "openai:gpt-5.6"')
  assertRates(where, price, priceChecks)
  const { long, later } = price
  if (long !== undefined) assertRates(`${where}.long`, long, longChecks)
  if (later !== undefined) assertRates(`${where}.later`, later, laterChecks)
}

const dollars: ValueCheck = value =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : 'a number that is not negative'

const rates: ChecksOf<Rates> = { input: dollars, output: dollars, cachedInput: dollars }

const priceChecks: ChecksOf<Price> = { ...rates, long: anything, later: anything }

const longChecks: ChecksOf<NonNullable<Price['long']>> = { ...rates, aboveInputTokens: wholeNumber(1) }

const laterChecks: ChecksOf<NonNullable<Price['later']>> = {
  ...rates,
  from: value =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
      ? undefined
      : 'a day such as "2026-12-01"',
}

function assertRates(
  where: string,
  given: unknown,
  checks: Readonly<Record<string, ValueCheck>>,
): asserts given is Readonly<Record<string, unknown>> {
  assertOptions(where, given, checks)
  for (const each of ['input', 'output', 'aboveInputTokens', 'from'])
    if (each in checks && given[each] === undefined)
      refuseSetting(where, `it needs ${JSON.stringify(each)}; rates are US dollars per million tokens`)
}
