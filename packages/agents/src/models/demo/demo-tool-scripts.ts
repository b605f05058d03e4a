import { type DemoBeat, textBeat } from './demo-beat.ts'
import { demoCities } from './demo-cities.ts'
import type { DemoScene } from './demo-prompt.ts'
import { describeResult } from './demo-results.ts'
import { quoteStart } from './demo-words.ts'

export function callFailingTool({ toolNames, isChinese }: DemoScene): readonly DemoBeat[] {
  if (!toolNames.has('weather')) return [missingTools(['weather'], isChinese)]
  return [
    isChinese
      ? textBeat('好的，我来查询一个不存在的城市的天气，这次工具调用会失败。')
      : textBeat(
          'I will ask for the weather in a city that is not there, so this tool call is going to fail.',
        ),
    { type: 'tool-call', toolName: 'weather', input: { city: 'Atlantis' } },
  ]
}

export function callWeather({ question, toolNames, isChinese }: DemoScene): readonly DemoBeat[] {
  const city = cityIn(question) ?? (isChinese ? '北京' : 'Paris')
  if (!toolNames.has('weather')) return [missingTools(['weather'], isChinese)]
  return [
    isChinese ? textBeat(`我来查一下${city}的天气。`) : textBeat(`Let me look up the weather in ${city}.`),
    { type: 'tool-call', toolName: 'weather', input: { city } },
  ]
}

export function callSeveralTools({ toolNames, isChinese }: DemoScene): readonly DemoBeat[] {
  const calls = [
    { type: 'tool-call', toolName: 'current_time', input: { timeZone: 'Asia/Shanghai' } },
    { type: 'tool-call', toolName: 'calculator', input: { expression: '(17 + 4) * 2 ^ 3' } },
    { type: 'tool-call', toolName: 'weather', input: { city: isChinese ? '上海' : 'Shanghai' } },
  ] as const
  const possible = calls.filter(call => toolNames.has(call.toolName))
  const missing = calls.filter(call => !toolNames.has(call.toolName)).map(call => call.toolName)
  if (possible.length === 0) return [missingTools(missing, isChinese)]
  const count = possible.length
  return [
    ...(missing.length === 0 ? [] : [missingTools(missing, isChinese), textBeat(isChinese ? '' : ' ')]),
    isChinese
      ? textBeat(`我会在一步之内调用 ${count} 个工具。`)
      : textBeat(`I will make ${count} tool ${count === 1 ? 'call' : 'calls'} in one step.`),
    ...possible,
  ]
}

export function greetInChinese({ question, fileCount, toolNames }: DemoScene): readonly DemoBeat[] {
  const city = cityIn(question) ?? '北京'
  const greeting =
    `你好！您说的是“${quoteStart(question, 41)}”。我是按脚本运行的演示模型，不是真正的语言模型，` +
    `输入“帮助”可以看到我能演示什么。${fileCount > 0 ? `您附上的 ${fileCount} 个文件我读不了。` : ''}`
  if (!toolNames.has('weather')) return [textBeat(greeting), missingTools(['weather'], true)]
  return [
    textBeat(`${greeting}下面先用工具看看${city}的天气。`),
    { type: 'tool-call', toolName: 'weather', input: { city } },
  ]
}

export function tellResultsInChinese(scene: DemoScene): readonly DemoBeat[] {
  return tellResults({ ...scene, isChinese: true })
}

export function tellResults({ results, isChinese }: DemoScene): readonly DemoBeat[] {
  if (results.length === 0) {
    return [
      textBeat(
        isChinese ? '没有工具结果可以继续说明。' : 'No tool has answered, so there is nothing to add.',
      ),
    ]
  }
  const said = results.map(result => `- ${describeResult(result, isChinese)}`).join('\n')
  const failures = results.filter(result => result.status === 'failed').length
  if (isChinese) {
    const end =
      failures > 0
        ? '工具失败并不会中断对话，您可以换个问法再试。'
        : '以上内容由脚本演示模型根据工具结果写成。'
    return [textBeat(`工具返回了这些结果：\n\n${said}\n\n${end}`)]
  }
  const end =
    failures > 0
      ? 'A failed tool does not end the conversation: the model sees the failure and can go on, as this one does.'
      : 'The numbers come from the tools; the words around them are the script of the demo model.'
  return [textBeat(`This is what came back:\n\n${said}\n\n${end}`)]
}

export function missingTools(names: readonly string[], isChinese: boolean): DemoBeat {
  const list = names.map(name => `\`${name}\``).join(isChinese ? '、' : ', ')
  return isChinese
    ? textBeat(`这里没有提供工具 ${list}，所以无法调用。`)
    : textBeat(
        `I would call ${list} here, but this agent was not given ${names.length === 1 ? 'that tool' : 'those tools'}.`,
      )
}

/** Returns a city that the weather tool knows, or what follows "in": then the tool says that it does not know it. */
export function cityIn(question: string): string | undefined {
  for (const { name, chineseName } of demoCities) {
    if (question.includes(chineseName)) return chineseName
    if (new RegExp(`\\b${name}\\b`, 'iu').test(question)) return name
  }
  return /\b(?:in|for)\s+(\p{Lu}[\p{L}'-]*(?:\s\p{Lu}[\p{L}'-]*)*)/u.exec(question)?.[1]
}
