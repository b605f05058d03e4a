import { z } from 'zod'
import { type DemoBeat, textBeat } from './demo-beat.ts'
import { browserStages, pageOfBrowserTask } from './demo-browser-script.ts'
import { askBeat, delegationsIn, describeDelegation } from './demo-delegation.ts'
import type { DemoScene } from './demo-prompt.ts'
import { describeResult } from './demo-results.ts'
import { cityIn, missingTools } from './demo-tool-scripts.ts'
import { weatherReport } from './weather.ts'

type Script = (scene: DemoScene) => readonly DemoBeat[]

/** Returns the script of the sub-agent that the demo model plays; `undefined` when it plays the master. */
export function subAgentStages(scene: DemoScene): readonly [Script, ...Script[]] | undefined {
  const { plays, question, toolNames } = scene
  switch (plays) {
    case 'researcher':
      return /clumsy/.test(question) ? forbiddenStages : researchStages
    case 'checker':
      return [check]
    case 'clumsy':
      return [stumble]
    default:
      // The browser agent is not a demo agent. Its instructions have no line for the demo model, so its task decides.
      return toolNames.has('browser_navigate') && pageOfBrowserTask(question) !== undefined
        ? browserStages
        : undefined
  }
}

const researchStages = [lookUp, convert, haveItChecked, report] as const
const forbiddenStages = [askForbidden, explainForbidden] as const

function lookUp({ question, isChinese, toolNames }: DemoScene): readonly DemoBeat[] {
  if (!toolNames.has('weather')) return [missingTools(['weather'], isChinese)]
  const city = cityIn(question) ?? (isChinese ? '上海' : 'Lisbon')
  return [
    textBeat(isChinese ? `我是研究员，先查${city}的天气。` : `I look up the weather in ${city} first.`),
    { type: 'tool-call', toolName: 'weather', input: { city } },
  ]
}

function convert(scene: DemoScene): readonly DemoBeat[] {
  const { isChinese, toolNames } = scene
  const { celsius } = findings(scene)
  if (celsius === undefined) return [withoutWeather(scene)]
  if (!toolNames.has('calculator')) return [missingTools(['calculator'], isChinese)]
  return [
    textBeat(
      isChinese ? `气温是 ${celsius} °C，换算一下。` : `It is ${celsius} °C there; now in Fahrenheit.`,
    ),
    { type: 'tool-call', toolName: 'calculator', input: { expression: `${celsius} * 9 / 5 + 32` } },
  ]
}

function haveItChecked(scene: DemoScene): readonly DemoBeat[] {
  const { question, isChinese } = scene
  const { celsius, fahrenheit } = findings(scene)
  if (celsius === undefined || fahrenheit === undefined || !/\bchecked\b|核对/.test(question)) {
    return report(scene)
  }
  return isChinese
    ? [textBeat('请 `checker` 核对。'), askBeat('checker', `核对：${celsius} °C 等于 ${fahrenheit} °F。`)]
    : [
        textBeat('The `checker` shall look at it.'),
        askBeat('checker', `Check that ${celsius} °C is ${fahrenheit} °F.`),
      ]
}

function report(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const { celsius, fahrenheit } = findings(scene)
  if (celsius === undefined || fahrenheit === undefined) return [withoutWeather(scene)]
  const [checked] = delegationsIn(results)
  if (isChinese) {
    const verdict = checked === undefined ? '' : checked.ok ? '，并且核对过了' : '，但没能核对'
    return [textBeat(`结果：${celsius} °C，也就是 ${fahrenheit} °F${verdict}。`)]
  }
  const verdict = checked === undefined ? '' : checked.ok ? ', and that was checked' : ', unchecked'
  return [textBeat(`My finding: ${celsius} °C, which is ${fahrenheit} °F${verdict}.`)]
}

function askForbidden(scene: DemoScene): readonly DemoBeat[] {
  const { isChinese, toolNames } = scene
  if (!toolNames.has('subAgent')) return [missingTools(['subAgent'], isChinese)]
  return isChinese
    ? [textBeat('我试着请教 `clumsy`。'), askBeat('clumsy', '你怎么看？')]
    : [textBeat('I try to ask `clumsy`.'), askBeat('clumsy', 'What do you think?')]
}

function explainForbidden({ results, isChinese }: DemoScene): readonly DemoBeat[] {
  const [refusal] = delegationsIn(results)
  const said = refusal === undefined ? '' : describeDelegation(refusal, isChinese)
  return [textBeat(isChinese ? `不行：${said}。` : `I may not: ${said}.`)]
}

function check({ question, isChinese }: DemoScene): readonly DemoBeat[] {
  const [celsius, fahrenheit] = Array.from(question.matchAll(/-?\d+(?:\.\d+)?/g), ([each]) => Number(each))
  if (celsius === undefined || fahrenheit === undefined) {
    return [textBeat(isChinese ? '没有可以核对的数字。' : 'I was given no numbers to check.')]
  }
  const isRight = Math.abs((celsius * 9) / 5 + 32 - fahrenheit) < 0.05
  const reasoning = isChinese
    ? `反过来算：(${fahrenheit} − 32) × 5 ÷ 9，看看是否回到 ${celsius}。`
    : `The other way round: (${fahrenheit} − 32) × 5 ÷ 9 should lead back to ${celsius}.`
  const verdict = isChinese
    ? `核对结果：${isRight ? '正确' : '不正确'}。`
    : `Verdict: ${isRight ? 'correct, it leads back to where it came from' : 'wrong'}.`
  return [{ type: 'reasoning', text: reasoning }, textBeat(verdict)]
}

function stumble({ isChinese }: DemoScene): readonly DemoBeat[] {
  return [
    textBeat(
      isChinese
        ? '从前有一个智能体，它小心地拿起一个花瓶，然后'
        : 'Once an agent picked up a vase, carefully, and then',
    ),
    { type: 'failure', message: 'The demo agent clumsy dropped the vase, as the script says.' },
  ]
}

const calculation = z.object({ result: z.number() })

function findings({ results }: DemoScene): { readonly celsius?: number; readonly fahrenheit?: number } {
  const values = results.map(result => (result.status === 'succeeded' ? result.value : undefined))
  const [weather] = values.flatMap(value => weatherReport.safeParse(value).data ?? [])
  const [sum] = values.flatMap(value => calculation.safeParse(value).data ?? [])
  return {
    ...(weather === undefined ? {} : { celsius: weather.temperatureCelsius }),
    ...(sum === undefined ? {} : { fahrenheit: Math.round(sum.result * 10) / 10 }),
  }
}

function withoutWeather({ results, isChinese }: DemoScene): DemoBeat {
  const failed = results.find(({ status }) => status === 'failed')
  if (failed !== undefined) return textBeat(describeResult(failed, isChinese))
  return textBeat(isChinese ? '工具没有给出我需要的数字。' : 'The tools did not give me the numbers I need.')
}
