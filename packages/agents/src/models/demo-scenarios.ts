import { type DemoBeat, textBeat } from './demo-beat.ts'
import type { DemoScene } from './demo-prompt.ts'
import { answerBriefly, breakOff, reason, reciteLong, reciteMarkdown } from './demo-text-scripts.ts'
import {
  callFailingTool,
  callSeveralTools,
  callWeather,
  greetInChinese,
  tellResults,
  tellResultsInChinese,
} from './demo-tool-scripts.ts'
import type { SeededRandom } from './seeded-random.ts'

/** One thing the demo model can show. To add one, write its script and put it in the list. */
type DemoScenario = {
  readonly keyword: string
  readonly chineseKeyword: string
  /** Which questions it answers. The first scenario in the list that matches is taken. */
  readonly matches: RegExp
  readonly shows: string
  readonly showsInChinese: string
  /** What to do in the first call for a question, in the second, and so on; the last must not call tools. */
  readonly stages: readonly [Script, ...Script[]]
}

type Script = (scene: DemoScene, random: SeededRandom) => readonly DemoBeat[]

/** The script for one model call. */
export function beatsFor(scene: DemoScene, random: SeededRandom): readonly DemoBeat[] {
  const found = demoScenarios.find(scenario => scenario.matches.test(scene.question))
  const stages = found?.stages ?? (scene.isChinese ? chineseStages : briefStages)
  const script = stages[Math.min(scene.stage, stages.length - 1)] ?? answerBriefly
  return script(scene, random)
}

const chineseStages = [greetInChinese, tellResultsInChinese] as const
const briefStages = [answerBriefly] as const

// The more particular come first: "a weather call that fails" is about failing.
export const demoScenarios: readonly DemoScenario[] = [
  {
    keyword: 'fail',
    chineseKeyword: '失败',
    matches: /\bfail(s|ed|ing|ure)?\b|失败/i,
    shows: 'a tool call that fails, and an answer that deals with it',
    showsInChinese: '一次失败的工具调用，以及如何应对',
    stages: [callFailingTool, tellResults],
  },
  {
    keyword: 'error',
    chineseKeyword: '错误',
    matches: /\berrors?\b|错误|报错|出错/i,
    shows: 'a model that breaks off in the middle of its answer',
    showsInChinese: '模型在回答途中出错中断',
    stages: [breakOff],
  },
  {
    keyword: 'tools',
    chineseKeyword: '工具',
    matches: /\b(tools?|parallel)\b|工具|并行/i,
    shows: 'several tool calls in one step',
    showsInChinese: '一步之内并行调用多个工具',
    stages: [callSeveralTools, tellResults],
  },
  {
    keyword: 'weather',
    chineseKeyword: '天气',
    matches: /\b(weather|forecast|temperature)\b|天气|气温/i,
    shows: 'text, a tool call, and text that uses the result (name a city if you like)',
    showsInChinese: '文字、工具调用、再根据结果继续回答（可以写上城市名）',
    stages: [callWeather, tellResults],
  },
  {
    keyword: 'think',
    chineseKeyword: '思考',
    matches: /\b(think(ing)?|reason(ing)?)\b|思考|推理/i,
    shows: 'reasoning before the answer',
    showsInChinese: '先推理，再回答',
    stages: [reason],
  },
  {
    keyword: 'markdown',
    chineseKeyword: '代码',
    matches: /\b(markdown|code)\b|代码/i,
    shows: 'headings, lists, code, a table and a quote',
    showsInChinese: '标题、列表、代码、表格和引用',
    stages: [reciteMarkdown],
  },
  {
    keyword: 'long',
    chineseKeyword: '长文',
    // "How long does it take?" does not ask for a long answer.
    matches: /(?<!\bhow )\blong\b|长文|长篇/i,
    shows: 'an answer of more than 3,000 words: stop it, reload the page, or watch it from a second window',
    showsInChinese: '三千多词的长回答：可以中途停止、刷新页面，或在另一个窗口里观看',
    stages: [reciteLong],
  },
  {
    keyword: 'help',
    chineseKeyword: '帮助',
    matches: /\bhelp\b|帮助|帮忙/i,
    shows: 'this list',
    showsInChinese: '这份列表',
    stages: [listScenarios],
  },
  {
    keyword: '你好',
    chineseKeyword: '你好',
    matches: /你好|您好|中文/,
    shows: 'an answer in Chinese with a tool call in the middle',
    showsInChinese: '中文回答，中间调用一次工具',
    stages: chineseStages,
  },
]

function listScenarios({ isChinese }: DemoScene): readonly DemoBeat[] {
  if (isChinese) {
    const lines = demoScenarios.map(each => `- **${each.chineseKeyword}**：${each.showsInChinese}`)
    return [textBeat(`我是按脚本运行的演示模型，不是语言模型。输入下面任意一个词：\n\n${lines.join('\n')}`)]
  }
  const lines = demoScenarios.map(each => `- **${each.keyword}**: ${each.shows}`)
  return [
    textBeat(
      `I am the scripted demo model, not a language model: I look for a word I know and play its script. ` +
        `Type one of these:\n\n${lines.join('\n')}\n\n` +
        'To talk to a real model, set `THROUGHLINE_MODEL` and its key, then start again.',
    ),
  ]
}
