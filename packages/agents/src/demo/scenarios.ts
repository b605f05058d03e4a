import { z } from 'zod'
import { subAgentToolKey } from '../run/tool-factory-registry.ts'
import { demoChinese } from './chinese.ts'
import { quoteStart } from './demo-words.ts'
import { type DemoLanguage, demoEnglish } from './english.ts'
import type { DemoScene } from './read-scene.ts'
import { roleStages } from './roles.ts'
import { type DemoAction, said } from './script.ts'
import {
  type Delegation,
  type DemoStage,
  delegationsIn,
  demoText,
  describeOutcome,
  describeResult,
  enumerate,
  missingTools,
  playScenario,
  say,
  scenarioTexts,
} from './speak.ts'

/** One thing that the demo model can show. To add one, add it to this list, and its texts to both languages. */
interface DemoScenario {
  readonly name: keyof DemoLanguage['scenarios']
  /** Matches the questions for this scenario. The first scenario that matches is played. */
  readonly matches: RegExp
  /** The agents that it asks. Where one is missing, it says so and does nothing else. */
  readonly agents?: readonly string[]
  /** What is done in the first model call. Default: the script of the scenario, if all tools for it are there. */
  readonly begin?: DemoStage
  /** What is done in the calls after it. It must not call tools. */
  readonly next?: DemoStage
}

/** Returns what the model does in one call. */
export function actionsFor(scene: DemoScene): readonly DemoAction[] {
  const stages = stagesFor(scene)
  const stage = stages[Math.min(scene.stage, stages.length - 1)] ?? greet
  return stage(scene)
}

function stagesFor(scene: DemoScene): readonly DemoStage[] {
  const played = roleStages(scene)
  if (played !== undefined) return played
  const found = demoScenarios.find(({ matches }) => matches.test(scene.question))
  if (found !== undefined) return [found.begin ?? beginning(found), ...(found.next ? [found.next] : [])]
  return scene.language === demoChinese ? [greetWithWeather, tellResults] : [greet]
}

/** Special scenarios come first: "a weather call that fails" is about failing. */
export const demoScenarios: readonly DemoScenario[] = [
  {
    name: 'brokenAgent',
    matches: /\bbroken agents?\b|出错的智能体/i,
    agents: ['clumsy'],
    next: explainBroken,
  },
  {
    name: 'parallelAgents',
    // "Call tools in parallel" is another scenario.
    matches: /\bparallel (sub-)?agents?\b|\bagents? (at once|in parallel)\b|并行(?!.*工具)/i,
    agents: ['researcher'],
    next: compareReports,
  },
  {
    name: 'delegate',
    matches: /\bdelegat(e|es|ed|ion|ing)\b|委派/i,
    agents: ['researcher'],
    next: concludeResearch,
  },
  { name: 'approve', matches: /\bapprov(e|al|als)\b|审批|批准/i, next: tellDecision },
  {
    name: 'refuse',
    matches: /\brefus(e|es|ed|al|als)\b|拒绝/i,
    agents: ['researcher'],
    next: explainRefusals,
  },
  { name: 'browser', matches: /\bbrowser\b|浏览器/i, begin: askBrowser, next: tellBrowsing },
  { name: 'openPage', matches: /\bopen (a |the |this )?(web )?page\b|打开网页/i, next: tellOffer },
  { name: 'fail', matches: /\bfail(s|ed|ing|ure)?\b|失败/i, next: tellResults },
  { name: 'error', matches: /\berrors?\b|错误|报错|出错/i },
  { name: 'tools', matches: /\b(tools?|parallel)\b|工具/i, begin: callSeveralTools, next: tellResults },
  { name: 'weather', matches: /\b(weather|forecast|temperature)\b|天气|气温/i, next: tellResults },
  { name: 'think', matches: /\b(think(ing)?|reason(ing)?)\b|思考|推理/i },
  { name: 'rich', matches: /\b(rich|math|formulas?|diagrams?|footnotes?)\b|公式|图表|脚注/i },
  { name: 'markdown', matches: /\b(markdown|code)\b|代码/i },
  // "How long does it take?" does not ask for a long answer.
  { name: 'long', matches: /(?<!\bhow )\blong\b|长文|长篇/i },
  { name: 'help', matches: /\bhelp\b|帮助|帮忙/i, begin: listScenarios },
  {
    name: 'hello',
    matches: /你好|您好|中文/,
    begin: inChinese(greetWithWeather),
    next: inChinese(tellResults),
  },
]

function inChinese(stage: DemoStage): DemoStage {
  return scene => stage({ ...scene, language: demoChinese })
}

function beginning({ name, agents = [] }: DemoScenario): DemoStage {
  return scene => {
    const actions = playScenario(scene, name)
    return withoutAgents(scene, agents) ?? withoutTools(scene, toolsIn(actions)) ?? actions
  }
}

function toolsIn(actions: readonly DemoAction[]): readonly string[] {
  return actions.flatMap(action => (action.type === 'tool-call' ? [action.toolName] : []))
}

/** Returns what to say when one of the agents cannot be asked here; `undefined` when all can. */
function withoutAgents(scene: DemoScene, names: readonly string[]): readonly DemoAction[] | undefined {
  if (names.length === 0) return undefined
  const missing = names.filter(name => !scene.agentNames.has(name))
  const agents = enumerate(scene, missing, 'and')
  return (
    withoutTools(scene, [subAgentToolKey]) ??
    (missing.length === 0 ? undefined : [say(scene, 'missingAgents', { agents })])
  )
}

function withoutTools(scene: DemoScene, names: readonly string[]): readonly DemoAction[] | undefined {
  const missing = names.filter(name => !scene.toolNames.has(name))
  return missing.length === 0 ? undefined : [missingTools(scene, missing)]
}

function askBrowser(scene: DemoScene): readonly DemoAction[] {
  const missing = withoutAgents(scene, ['browser']) ?? withoutTools(scene, ['browser_navigate'])
  if (missing !== undefined) return missing
  const { pageUrl: url } = scene
  if (url === undefined) return [say(scene, 'missingPage')]
  return playScenario(scene, 'browser', { url })
}

/** Calls those of the tools that are there. */
function callSeveralTools(scene: DemoScene): readonly DemoAction[] {
  const names = toolsIn(playScenario(scene, 'tools'))
  const missing = names.filter(name => !scene.toolNames.has(name))
  const count = names.length - missing.length
  if (count === 0) return [missingTools(scene, missing)]
  const actions = playScenario(scene, 'tools', { count })
  const possible = actions.filter(each => each.type !== 'tool-call' || scene.toolNames.has(each.toolName))
  return missing.length === 0 ? possible : [missingTools(scene, missing), say(scene, 'space'), ...possible]
}

function listScenarios(scene: DemoScene): readonly DemoAction[] {
  const items = demoScenarios.map(({ name }) => {
    const { keyword, shows } = scenarioTexts(scene.language, name)
    return demoText(scene, 'toListItem', { keyword, shows })
  })
  return playScenario(scene, 'help', { list: items.join('\n') })
}

function greet(scene: DemoScene): readonly DemoAction[] {
  return [said(greeting(scene))]
}

function greetWithWeather(scene: DemoScene): readonly DemoAction[] {
  if (!scene.toolNames.has('weather')) return [...greet(scene), missingTools(scene, ['weather'])]
  return playScenario(scene, 'hello', { greeting: greeting(scene) })
}

function greeting(scene: DemoScene): string {
  const quote = quoteStart(scene.question, scene.language.maxQuoteChars)
  const quoted = quote === '' ? '' : demoText(scene, 'quoted', { quote })
  const unread = scene.fileCount === 0 ? '' : demoText(scene, 'unread', { files: scene.fileCount })
  return demoText(scene, 'greeting', { quote, quoted, unread })
}

function tellResults(scene: DemoScene): readonly DemoAction[] {
  if (scene.results.length === 0) return [say(scene, 'noResults')]
  const results = scene.results.map(result => `- ${describeResult(scene, result)}`).join('\n')
  const hasFailed = scene.results.some(({ status }) => status === 'failed')
  const end = demoText(scene, hasFailed ? 'afterFailure' : 'afterSuccess')
  return [said(demoText(scene, 'results', { results }) + end)]
}

// The master's conclusions in the scenarios about agents. It uses the reports of its sub-agents without repeating them.

function concludeResearch(scene: DemoScene): readonly DemoAction[] {
  const [report] = delegationsIn(scene)
  if (report === undefined) return tellResults(scene)
  const degrees = degreesIn(report)
  if (degrees === undefined) return [noNumber(scene, report)]
  const isChecked = report.ok && report.summary.includes('was checked')
  const advice = demoText(scene, degrees >= 22 ? 'adviceWarm' : degrees >= 12 ? 'adviceMild' : 'adviceCold')
  return [say(scene, isChecked ? 'checkedConclusion' : 'conclusion', { advice })]
}

function compareReports(scene: DemoScene): readonly DemoAction[] {
  const reports = delegationsIn(scene)
  if (reports.length === 0) return tellResults(scene)
  const failed = reports.find(report => degreesIn(report) === undefined)
  if (failed !== undefined) return [noNumber(scene, failed)]
  const [first = 0, second = 0] = reports.map(degreesIn)
  const gap = Math.round(Math.abs(first - second) * 10) / 10
  if (gap === 0) return [say(scene, 'equallyWarm')]
  return [say(scene, first > second ? 'firstWarmer' : 'secondWarmer', { gap })]
}

function explainBroken(scene: DemoScene): readonly DemoAction[] {
  const [result] = delegationsIn(scene)
  if (result === undefined) return tellResults(scene)
  return [say(scene, 'broken', { outcome: describeOutcome(scene, result) })]
}

function explainRefusals(scene: DemoScene): readonly DemoAction[] {
  const [unknown, passedOn] = delegationsIn(scene)
  if (unknown === undefined) return tellResults(scene)
  const refusedToo = passedOn?.ok === true ? demoText(scene, 'refusedToo') : ''
  return [say(scene, 'refused', { outcome: describeOutcome(scene, unknown), refusedToo })]
}

const receipt = z.object({ sent: z.literal(true), to: z.string() })

function tellDecision(scene: DemoScene): readonly DemoAction[] {
  const result = scene.results.find(({ toolName }) => toolName === 'send_report')
  if (result?.status === 'failed') return [say(scene, 'notSent', { reason: result.reason })]
  const sent = receipt.safeParse(result?.value)
  return sent.success ? [say(scene, 'sent', { to: sent.data.to })] : tellResults(scene)
}

function tellBrowsing(scene: DemoScene): readonly DemoAction[] {
  const [result] = delegationsIn(scene)
  if (result === undefined) return tellResults(scene)
  if (!result.ok) return [say(scene, 'browserFailed', { outcome: describeOutcome(scene, result) })]
  // At the end of its script, the browser agent says this.
  const hasEnded = [demoEnglish, demoChinese].some(({ texts }) => result.summary.includes(texts.formSent))
  return [say(scene, hasEnded ? 'browserDone' : 'browserGaveUp')]
}

function tellOffer(scene: DemoScene): readonly DemoAction[] {
  const { results } = scene
  const isOffered = results.length > 0 && results.every(({ status }) => status !== 'failed')
  return isOffered ? [say(scene, 'offered')] : tellResults(scene)
}

function degreesIn(report: Delegation): number | undefined {
  const found = report.ok ? /(-?\d+(?:\.\d+)?) °C/.exec(report.summary)?.[1] : undefined
  return found === undefined ? undefined : Number(found)
}

function noNumber(scene: DemoScene, report: Delegation): DemoAction {
  return report.ok
    ? say(scene, 'noNumber')
    : say(scene, 'noReport', { outcome: describeOutcome(scene, report) })
}
