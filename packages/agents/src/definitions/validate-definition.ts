import { didYouMean, shorten } from '@throughline/protocol/internal'
import { promptVariables, unknownVariables } from './prompt-template.ts'
import type { ModelSpec, SubAgentFields } from './sub-agent-definition.ts'

/** What is wrong with a definition in its surroundings, and what to do. */
export interface DefinitionError {
  readonly code:
    | 'duplicate-name'
    | 'unknown-variable'
    | 'unknown-model'
    | 'too-many-tokens'
    | 'unknown-tool'
    | 'unknown-sub-agent'
    | 'cycle'
  readonly field: keyof SubAgentFields | 'model.params.maxOutputTokens'
  readonly message: string
}

interface KnownAgent {
  readonly name: string
  readonly allowedSubAgents: readonly string[]
}

/** What exists where a definition is used. */
export interface Surroundings {
  readonly toolKeys: readonly string[]
  /** The names of the agents that people talk to. Other agents can delegate only to those that are `inCode`, too. */
  readonly masters: readonly string[]
  readonly inCode: readonly KnownAgent[]
  /** The other definitions, without the one that is replaced. */
  readonly defined: readonly KnownAgent[]
  /** The models that a definition can name. */
  readonly models: readonly Pick<ModelSpec, 'provider' | 'modelId'>[]
  /** The upper bound of `maxOutputTokens`. */
  readonly maxOutputTokens: number
}

/** Returns all errors of a definition. Without errors it can be saved. See also `definitionWarnings`. */
export function validateDefinition(
  definition: SubAgentFields,
  surroundings: Surroundings,
): readonly DefinitionError[] {
  return [
    ...nameErrors(definition, surroundings),
    ...variableErrors(definition),
    ...modelErrors(definition, surroundings),
    ...tokenErrors(definition, surroundings),
    ...toolErrors(definition, surroundings),
    ...masterErrors(definition, surroundings),
    ...cycleErrors(definition, surroundings),
  ]
}

/** Returns what a definition names but does not exist. It can be saved: what it names may be made later. */
export function definitionWarnings(
  { name, allowedSubAgents }: SubAgentFields,
  { inCode, defined, masters }: Surroundings,
): readonly DefinitionError[] {
  const names = withoutRepeats([...inCode, ...defined].map(agent => agent.name)).filter(each => each !== name)
  const known = new Set([...names, name, ...masters])
  return withoutRepeats(allowedSubAgents)
    .filter(each => !known.has(each))
    .map(each => ({
      code: 'unknown-sub-agent',
      field: 'allowedSubAgents',
      message: `There is no sub-agent "${shown(each)}" yet, so it cannot be asked. ${didYouMean(each, names)}`,
    }))
}

function nameErrors({ name }: SubAgentFields, { inCode, defined }: Surroundings): readonly DefinitionError[] {
  const isNamedSo = (agent: KnownAgent) => agent.name === name
  const where = inCode.some(isNamedSo) ? ' in code' : defined.some(isNamedSo) ? ' in this workspace' : ''
  if (where === '') return []
  const message = `There is an agent "${name}"${where} already. Choose another name.`
  return [{ code: 'duplicate-name', field: 'name', message }]
}

function variableErrors({ systemPrompt }: SubAgentFields): readonly DefinitionError[] {
  return unknownVariables(systemPrompt).map(variable => ({
    code: 'unknown-variable',
    field: 'systemPrompt',
    message: `There is no variable {{${shown(variable)}}}. Use one of ${promptVariables.join(', ')}, or remove the braces.`,
  }))
}

function modelErrors({ model }: SubAgentFields, { models }: Surroundings): readonly DefinitionError[] {
  if (model === undefined) return []
  const { provider, modelId } = model
  if (models.some(each => each.provider === provider && each.modelId === modelId)) return []
  const names = models.map(each => `${each.provider}:${each.modelId}`)
  const offer =
    names.length === 0
      ? "It offers none: leave it out to use the caller's."
      : `Choose from ${names.slice(0, 50).join(', ')}, or leave it out to use the caller's.`
  const message = `This server does not offer the model "${shown(`${provider}:${modelId}`)}". ${offer}`
  return [{ code: 'unknown-model', field: 'model', message }]
}

function tokenErrors(
  { model }: SubAgentFields,
  { maxOutputTokens: most }: Surroundings,
): readonly DefinitionError[] {
  const { maxOutputTokens = 0 } = model?.params ?? {}
  if (maxOutputTokens <= most) return []
  const message = `maxOutputTokens is ${maxOutputTokens}, and this server allows ${most} at most. Ask for fewer, or leave it out.`
  return [{ code: 'too-many-tokens', field: 'model.params.maxOutputTokens', message }]
}

function toolErrors(
  { toolKeys }: SubAgentFields,
  { toolKeys: known }: Surroundings,
): readonly DefinitionError[] {
  const keys = new Set(known)
  return withoutRepeats(toolKeys)
    .filter(key => !keys.has(key))
    .map(key => ({
      code: 'unknown-tool',
      field: 'toolKeys',
      message: `There is no tool "${shown(key)}". ${choice('tools', known)}`,
    }))
}

function masterErrors(
  { allowedSubAgents }: SubAgentFields,
  { masters, inCode }: Surroundings,
): readonly DefinitionError[] {
  const names = inCode.map(agent => agent.name)
  return withoutRepeats(allowedSubAgents)
    .filter(each => masters.includes(each) && !names.includes(each))
    .map(each => ({
      code: 'unknown-sub-agent',
      field: 'allowedSubAgents',
      message: `"${shown(each)}" talks to people, and is no sub-agent. ${choice('agents', names)}`,
    }))
}

function cycleErrors(
  definition: SubAgentFields,
  { inCode, defined }: Surroundings,
): readonly DefinitionError[] {
  const cycle = cycleThrough(definition, [...defined, ...inCode])
  if (cycle === undefined) return []
  const message = `These agents would ask each other in a circle: ${cycle.join(' → ')}. Remove one of these steps.`
  return [{ code: 'cycle', field: 'allowedSubAgents', message }]
}

/**
 * Returns the shortest path from an agent back to itself, through the agents that each may delegate to. Circles without this
 * agent do not count. `*` does not count either: there, the guard against recursion refuses a call when it happens.
 */
function cycleThrough(start: KnownAgent, others: readonly KnownAgent[]): readonly string[] | undefined {
  const steps = new Map(others.map(agent => [agent.name, agent.allowedSubAgents]))
  const cameFrom = new Map<string, string>()
  const reached = [start.name]
  for (const name of reached) {
    for (const next of name === start.name ? start.allowedSubAgents : (steps.get(name) ?? [])) {
      if (next === start.name) return [...pathTo(name, cameFrom), start.name]
      if (cameFrom.has(next)) continue
      cameFrom.set(next, name)
      reached.push(next)
    }
  }
  return undefined
}

function pathTo(name: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [name]
  for (let step = cameFrom.get(name); step !== undefined; step = cameFrom.get(step)) path.unshift(step)
  return path
}

function choice(what: string, known: readonly string[]): string {
  if (known.length === 0) return `There are no ${what} to choose from; leave the list empty.`
  const more = known.length > 50 ? `, and ${known.length - 50} more` : ''
  return `Choose from the ${what} ${known.slice(0, 50).join(', ')}${more}.`
}

function withoutRepeats(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}

/** Returns what a person wrote, short enough for an error message. */
function shown(text: string): string {
  return shorten(text, 60)
}
