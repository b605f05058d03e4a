import {
  compareReports,
  concludeResearch,
  explainBrokenAgent,
  explainRefusals,
  tellBrowsing,
  tellDecision,
  tellOffer,
} from './demo-agent-conclusions.ts'
import {
  askBrokenAgent,
  askBrowser,
  askForApproval,
  askInParallel,
  askInVain,
  askResearcher,
  offerPage,
} from './demo-agent-scripts.ts'
import { type DemoBeat, textBeat } from './demo-beat.ts'
import type { DemoScene } from './demo-prompt.ts'
import { subAgentStages } from './demo-sub-agent-scripts.ts'
import {
  answerBriefly,
  breakOff,
  reason,
  reciteLong,
  reciteMarkdown,
  reciteRich,
} from './demo-text-scripts.ts'
import {
  callFailingTool,
  callSeveralTools,
  callWeather,
  greetInChinese,
  tellResults,
  tellResultsInChinese,
} from './demo-tool-scripts.ts'
import type { SeededRandom } from './seeded-random.ts'

/** One thing that the demo model can show. To add one, write its script and add it to the list. */
type DemoScenario = {
  readonly keyword: string
  readonly chineseKeyword: string
  /** Matches the questions for this scenario. The first scenario that matches is played. */
  readonly matches: RegExp
  readonly shows: string
  readonly showsInChinese: string
  /** The scripts for the first model call of an answer, the second, and so on. The last one must not call tools. */
  readonly stages: Stages
}

type Script = (scene: DemoScene, random: SeededRandom) => readonly DemoBeat[]
type Stages = readonly [Script, ...Script[]]

/** Returns the script for one model call. */
export function beatsFor(scene: DemoScene, random: SeededRandom): readonly DemoBeat[] {
  const stages = stagesFor(scene)
  const script = stages[Math.min(scene.stage, stages.length - 1)] ?? answerBriefly
  return script(scene, random)
}

function stagesFor(scene: DemoScene): Stages {
  const played = subAgentStages(scene)
  if (played !== undefined) return played
  const found = demoScenarios.find(scenario => scenario.matches.test(scene.question))
  return found?.stages ?? (scene.isChinese ? chineseStages : briefStages)
}

const chineseStages = [greetInChinese, tellResultsInChinese] as const
const briefStages = [answerBriefly] as const

// Scenarios about agents, approvals and pages.
const agentScenarios: readonly DemoScenario[] = [
  {
    keyword: 'broken agent',
    chineseKeyword: '出错的智能体',
    matches: /\bbroken agents?\b|出错的智能体/i,
    shows: 'a sub-agent that breaks off, and a master that copes with it',
    showsInChinese: '子智能体中途出错，主智能体如何应对',
    stages: [askBrokenAgent, explainBrokenAgent],
  },
  {
    keyword: 'parallel agents',
    chineseKeyword: '并行',
    // "Call tools in parallel" is another scenario.
    matches: /\bparallel (sub-)?agents?\b|\bagents? (at once|in parallel)\b|并行(?!.*工具)/i,
    shows: 'two sub-agents that work at the same time',
    showsInChinese: '两个子智能体同时工作',
    stages: [askInParallel, compareReports],
  },
  {
    keyword: 'delegate',
    chineseKeyword: '委派',
    matches: /\bdelegat(e|es|ed|ion|ing)\b|委派/i,
    shows: 'a task handed to a sub-agent, which asks another one in turn (name a city if you like)',
    showsInChinese: '把任务交给子智能体，它再去请教另一个（可以写上城市名）',
    stages: [askResearcher, concludeResearch],
  },
  {
    keyword: 'approve',
    chineseKeyword: '审批',
    matches: /\bapprov(e|al|als)\b|审批|批准/i,
    shows: 'a tool call that waits until you allow or deny it',
    showsInChinese: '一次要等您批准或拒绝的工具调用',
    stages: [askForApproval, tellDecision],
  },
  {
    keyword: 'refuse',
    chineseKeyword: '拒绝',
    matches: /\brefus(e|es|ed|al|als)\b|拒绝/i,
    shows: 'agents that must not or cannot be asked, and how a refusal reads',
    showsInChinese: '不存在或不允许请教的智能体，以及拒绝的内容',
    stages: [askInVain, explainRefusals],
  },
  {
    keyword: 'browser',
    chineseKeyword: '浏览器',
    matches: /\bbrowser\b|浏览器/i,
    shows: 'a sub-agent that works in a real browser, where one is installed',
    showsInChinese: '在真正的浏览器里工作的子智能体（需要已安装浏览器）',
    stages: [askBrowser, tellBrowsing],
  },
  {
    keyword: 'open page',
    chineseKeyword: '打开网页',
    matches: /\bopen (a |the |this )?(web )?page\b|打开网页/i,
    shows: 'a web page offered beside the chat',
    showsInChinese: '在对话旁边打开一个网页（由您点击）',
    stages: [offerPage, tellOffer],
  },
]

// Special scenarios come first: "a weather call that fails" is about failing.
export const demoScenarios: readonly DemoScenario[] = [
  ...agentScenarios,
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
    matches: /\b(tools?|parallel)\b|工具/i,
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
    keyword: 'rich',
    chineseKeyword: '公式',
    matches: /\b(rich|math|formulas?|diagrams?|footnotes?)\b|公式|图表|脚注/i,
    shows: 'formulas, a diagram, tasks, footnotes, sources and coloured code',
    showsInChinese: '公式、图表、任务、脚注、来源和彩色代码',
    stages: [reciteRich],
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
