import { shorten } from '@throughline/protocol/internal'
import { z } from 'zod'
import { subAgentToolKey } from '../run/tool-factory-registry.ts'
import { cityIn, weatherReport } from './demo-tools.ts'
import type { DemoLanguage } from './english.ts'
import type { DemoScene, DemoToolResult } from './read-scene.ts'
import { markdownSample } from './samples.ts'
import { actionsInScript, type DemoAction, fill, said, type Values } from './script.ts'

/** Decides what the demo model does in one model call. */
export type DemoStage = (scene: DemoScene) => readonly DemoAction[]

type TextName = keyof DemoLanguage['texts']

/** Returns a text in the language of the scene. */
export function demoText({ language }: DemoScene, name: TextName, values: Values = {}): string {
  return fill(language.texts[name], values)
}

/** Returns the action that says a text in the language of the scene. */
export function say(scene: DemoScene, name: TextName, values: Values = {}): DemoAction {
  return said(demoText(scene, name, values))
}

/** Plays a script in the language of the scene. `{city}` is the city in the question. */
export function play(
  scene: DemoScene,
  name: keyof DemoLanguage['scripts'],
  values: Values = {},
): readonly DemoAction[] {
  return actionsInScript(scene.language.scripts[name], valuesOf(scene, values), scene.random)
}

/** A scenario in one language: the word to type, and what it shows. */
export interface ScenarioTexts {
  readonly keyword: string
  readonly shows: string
  readonly script: string
}

/** Returns the texts of a scenario. */
export function scenarioTexts(language: DemoLanguage, name: keyof DemoLanguage['scenarios']): ScenarioTexts {
  const [keyword = '', shows = '', ...script] = language.scenarios[name].split(' | ')
  return { keyword, shows, script: script.join(' | ') }
}

/** Plays the script of the first model call of a scenario. */
export function playScenario(
  scene: DemoScene,
  name: keyof DemoLanguage['scenarios'],
  values: Values = {},
): readonly DemoAction[] {
  const { script } = scenarioTexts(scene.language, name)
  return actionsInScript(script, valuesOf(scene, values), scene.random)
}

function valuesOf({ question, language }: DemoScene, values: Values): Values {
  return { city: cityIn(question), markdown: markdownSample, rich: language.richText, ...values }
}

/** Says which tools are missing. */
export function missingTools(scene: DemoScene, names: readonly string[]): DemoAction {
  return say(scene, 'missingTools', { tools: enumerate(scene, names, 'comma'), count: names.length })
}

/** Returns names as code, in a list. */
export function enumerate(scene: DemoScene, names: readonly string[], separator: 'comma' | 'and'): string {
  return names.map(name => `\`${name}\``).join(demoText(scene, separator))
}

const calculation = z.object({ expression: z.string(), result: z.number() })
const clockReading = z.object({ timeZone: z.string(), localTime: z.string(), weekday: z.string() })

/** Returns a sentence about a tool's result. The result of an unknown tool is quoted. */
export function describeResult(scene: DemoScene, result: DemoToolResult): string {
  const { toolName: tool } = result
  if (result.status === 'failed') return demoText(scene, 'toolFailed', { tool, reason: result.reason })
  const { value } = result
  const weather = weatherReport.safeParse(value).data
  if (weather !== undefined) return demoText(scene, 'weather', weather)
  const sum = calculation.safeParse(value).data
  if (sum !== undefined) return demoText(scene, 'sum', sum)
  const clock = clockReading.safeParse(value).data
  if (clock !== undefined) return demoText(scene, 'clock', clock)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return demoText(scene, 'toolSaid', { tool, value: shorten(text, 300) })
}

/** Says what a tool that failed has said; `undefined` when none has. */
export function tellFailure(scene: DemoScene): DemoAction | undefined {
  const failed = scene.results.find(({ status }) => status === 'failed')
  return failed && said(describeResult(scene, failed))
}

const delegationResult = z.union([
  z.object({ ok: z.literal(true), summary: z.string() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
])

/** The result of a task that was delegated. */
export type Delegation = z.infer<typeof delegationResult>

/** Returns the results of all tasks that were delegated since the question, in the order of the calls. */
export function delegationsIn({ results }: DemoScene): readonly Delegation[] {
  return results.filter(({ toolName }) => toolName === subAgentToolKey).map(readDelegation)
}

function readDelegation(result: DemoToolResult): Delegation {
  if (result.status === 'failed') return { ok: false, code: 'FAILED', message: result.reason }
  const read = delegationResult.safeParse(result.value)
  return read.success ? read.data : { ok: false, code: 'UNKNOWN', message: JSON.stringify(result.value) }
}

/** Describes a refusal or a failure by its code and its message. */
export function describeOutcome(scene: DemoScene, delegation: Delegation): string {
  if (delegation.ok) return demoText(scene, 'taskDone')
  const { code, message } = delegation
  return demoText(scene, 'taskRefused', { code, message })
}
