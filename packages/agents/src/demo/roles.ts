import { z } from 'zod'
import { defineAgent } from '../definitions/define-agent.ts'
import type { SubAgent } from '../delegation/base-agent.ts'
import { subAgentToolKey } from '../run/tool-factory-registry.ts'
import { weatherReport } from './demo-tools.ts'
import type { DemoLanguage } from './english.ts'
import { type DemoScene, demoAgentLine } from './read-scene.ts'
import type { DemoAction } from './script.ts'
import {
  type DemoStage,
  delegationsIn,
  demoText,
  describeOutcome,
  missingTools,
  play,
  say,
  tellFailure,
} from './speak.ts'

/** The agents that the demo model plays when it delegates. */
export function demoSubAgents(): readonly SubAgent[] {
  return [
    defineAgent({
      name: 'researcher',
      displayName: 'Researcher',
      description: 'Finds out about the weather, calculates with it, and has its results checked.',
      instructions: demoAgentLine('researcher'),
      tools: ['weather', 'calculator'],
      allowedSubAgents: ['checker'],
    }),
    defineAgent({
      name: 'checker',
      displayName: 'Checker',
      description: 'Checks a calculation and gives a verdict.',
      instructions: demoAgentLine('checker'),
    }),
    defineAgent({
      name: 'clumsy',
      displayName: 'Clumsy',
      description: 'Starts well, then its model breaks off: it shows what happens when an agent fails.',
      instructions: demoAgentLine('clumsy'),
    }),
  ]
}

/** Returns what the sub-agent does that the demo model plays, call by call; `undefined` when it plays the master. */
export function roleStages({ plays, question, toolNames }: DemoScene): readonly DemoStage[] | undefined {
  switch (plays) {
    case 'researcher':
      return /clumsy/.test(question) ? [askForbidden, explainForbidden] : researchStages
    case 'checker':
      return [check]
    case 'clumsy':
      return [scene => play(scene, 'stumble')]
    default:
      // The browser agent is not a demo agent. Its instructions have no line for the demo model, so its task decides.
      return toolNames.has('browser_navigate') && browserTask.test(question) ? browserStages : undefined
  }
}

const researchStages: readonly DemoStage[] = [lookUp, convert, haveItChecked, report]

function lookUp(scene: DemoScene): readonly DemoAction[] {
  return scene.toolNames.has('weather') ? play(scene, 'lookUp') : [missingTools(scene, ['weather'])]
}

function convert(scene: DemoScene): readonly DemoAction[] {
  const found = findings(scene)
  if (found.celsius === undefined) return [withoutNumbers(scene)]
  if (!scene.toolNames.has('calculator')) return [missingTools(scene, ['calculator'])]
  return play(scene, 'convert', found)
}

function haveItChecked(scene: DemoScene): readonly DemoAction[] {
  const found = findings(scene)
  const isComplete = found.celsius !== undefined && found.fahrenheit !== undefined
  if (!isComplete || !/\bchecked\b|核对/.test(scene.question)) return report(scene)
  return play(scene, 'haveChecked', found)
}

function report(scene: DemoScene): readonly DemoAction[] {
  const found = findings(scene)
  if (found.celsius === undefined || found.fahrenheit === undefined) return [withoutNumbers(scene)]
  const [checked] = delegationsIn(scene)
  const verdict = checked === undefined ? '' : demoText(scene, checked.ok ? 'checked' : 'unchecked')
  return [say(scene, 'finding', { ...found, verdict })]
}

function askForbidden(scene: DemoScene): readonly DemoAction[] {
  const canAsk = scene.toolNames.has(subAgentToolKey)
  return canAsk ? play(scene, 'askForbidden') : [missingTools(scene, [subAgentToolKey])]
}

function explainForbidden(scene: DemoScene): readonly DemoAction[] {
  const [refusal] = delegationsIn(scene)
  return [say(scene, 'mayNotAsk', { outcome: refusal === undefined ? '' : describeOutcome(scene, refusal) })]
}

function check(scene: DemoScene): readonly DemoAction[] {
  const numbers = Array.from(scene.question.matchAll(/-?\d+(?:\.\d+)?/g), ([each]) => Number(each))
  const [celsius, fahrenheit] = numbers
  if (celsius === undefined || fahrenheit === undefined) return [say(scene, 'nothingToCheck')]
  const isRight = Math.abs((celsius * 9) / 5 + 32 - fahrenheit) < 0.05
  const text = demoText(scene, 'checking', { celsius, fahrenheit })
  return [{ type: 'reasoning', text }, say(scene, isRight ? 'right' : 'wrong')]
}

const sum = z.object({ result: z.number() })

/** Returns the temperature that the tools have found, in both units. */
function findings({ results }: DemoScene) {
  const values = results.map(result => (result.status === 'succeeded' ? result.value : undefined))
  const [weather] = values.flatMap(value => weatherReport.safeParse(value).data ?? [])
  const [converted] = values.flatMap(value => sum.safeParse(value).data ?? [])
  return {
    celsius: weather?.temperatureCelsius,
    fahrenheit: converted && Math.round(converted.result * 10) / 10,
  }
}

function withoutNumbers(scene: DemoScene): DemoAction {
  return tellFailure(scene) ?? say(scene, 'withoutNumbers')
}

/** What the master tells the browser agent, in both languages. */
const browserTask = /^(?:Demo page|演示页面) (https?:\/\/\S+) /

const browserStages: readonly DemoStage[] = [
  scene => play(scene, 'openPage', { url: browserTask.exec(scene.question)?.[1] ?? '' }),
  unlessFailed('fillForm'),
  unlessFailed('sendForm'),
  unlessFailed('takeScreenshot'),
  scene => [tellFailure(scene) ?? say(scene, 'formSent')],
]

function unlessFailed(name: keyof DemoLanguage['scripts']): DemoStage {
  return scene => {
    const failure = tellFailure(scene)
    return failure === undefined ? play(scene, name) : [failure]
  }
}
