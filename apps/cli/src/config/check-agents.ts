import type { Agent } from '@throughline/agents'
import { isRecord } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import {
  agentName,
  anything,
  assertIs,
  type ChecksOf,
  code,
  refuseSetting,
  text,
  texts,
  wholeNumber,
  yesOrNo,
} from './checks.ts'
import type { ConfigAgents } from './config.ts'

/** Throws a `SettingError` unless these are agents, in an object by name or in a list. */
export function assertAgents(agents: unknown): asserts agents is ConfigAgents {
  if (Array.isArray(agents)) return assertListed(agents)
  if (!isRecord(agents))
    return refuseSetting(
      'agents',
      'it must be an object in braces, such as { support: defineAgent({ … }) }, or a list',
    )
  for (const [key, agent] of Object.entries(agents)) assertKeyed(key, agent)
}

/** Throws a `SettingError` when the default agent does not exist, or when another agent has its name. */
export function assertMaster(master: unknown, agents: unknown): void {
  const names = isRecord(agents) ? Object.keys(agents) : []
  if (typeof master === 'string') {
    if (names.includes(master)) return
    return refuseSetting(
      'master',
      `there is no ${JSON.stringify(master)} in "agents: { … }". ${didYouMean(master, names)}`,
    )
  }
  const name = isRecord(master) && typeof master['name'] === 'string' ? master['name'] : 'assistant'
  if (names.includes(name))
    refuseSetting(
      `agents.${name}`,
      `the master has this name. Rename your agent, or say "master: ${JSON.stringify(name)}" to make it the master.`,
    )
}

function assertListed(agents: readonly unknown[]): void {
  const names = new Set<unknown>()
  for (const [index, agent] of agents.entries()) {
    const where = `agents[${index}]`
    assertAgent(where, agent)
    assertIs(`${where}.name`, agent['name'], agentName)
    if (names.has(agent['name']))
      refuseSetting(where, `there are two agents called "${agent['name']}". Rename one of them.`)
    names.add(agent['name'])
  }
}

function assertKeyed(key: string, agent: unknown): void {
  const where = `agents.${key}`
  assertIs(where, key, agentName)
  assertAgent(where, agent)
  const { name } = agent
  if (typeof name === 'string' && name !== key)
    refuseSetting(
      where,
      `its name is "${name}". Say "agents: { ${JSON.stringify(name)}: … }", or leave out its name.`,
    )
}

function assertAgent(where: string, agent: unknown): asserts agent is Readonly<Record<keyof Agent, unknown>> {
  if (typeof agent === 'function' || (isRecord(agent) && isOfLibrary(agent)))
    return refuseSetting(
      where,
      'it is no agent yet. Write the adapter of its library around it: fromAiSdk(…), fromLangGraph(…), fromMastra(…), fromOpenAIAgents(…), fromPi(() => …) or fromClaudeAgentSdk(query).',
    )
  if (!isRecord(agent) || typeof agent['run'] !== 'function')
    return refuseSetting(
      where,
      'it is not made with defineAgent({ … }). Make it so, or write your own: { async *run(request) { … } }.',
    )
  // It would return a promise, which nothing can be read from.
  if (Object.prototype.toString.call(agent['run']) === '[object AsyncFunction]')
    refuseSetting(
      where,
      'its run is an async function. Put a star before it, and yield events: async *run(request) { … }.',
    )
  for (const [field, check] of Object.entries(agentChecks))
    if (agent[field] !== undefined) assertIs(`${where}.${field}`, agent[field], check)
}

/**
 * Agents of the AI SDK, LangGraph and Mastra have `stream`. Those of the OpenAI Agents SDK have `asTool`, and those of pi have
 * `prompt`.
 */
function isOfLibrary({ run, stream, asTool, prompt }: Readonly<Record<string, unknown>>): boolean {
  return typeof run !== 'function' && [stream, asTool, prompt].some(each => typeof each === 'function')
}

const agentChecks: ChecksOf<Agent> = {
  name: agentName,
  displayName: text,
  description: value => (typeof value === 'string' ? undefined : 'a text'),
  examples: texts,
  toolKeys: texts,
  optionalToolKeys: texts,
  allowedSubAgents: texts,
  maxDepth: wholeNumber(0),
  maxSteps: wholeNumber(1),
  model: anything,
  continues: yesOrNo,
  isEnabled: yesOrNo,
  run: code,
}
