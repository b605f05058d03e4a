import { type DemoBeat, textBeat } from './demo-beat.ts'
import { browserTask } from './demo-browser-script.ts'
import { askBeat, withoutAgents } from './demo-delegation.ts'
import type { DemoScene } from './demo-prompt.ts'
import { cityIn, missingTools } from './demo-tool-scripts.ts'

/** What the master does first in the scenarios about agents. */

export function askResearcher(scene: DemoScene): readonly DemoBeat[] {
  const { question, isChinese } = scene
  const city = cityIn(question) ?? (isChinese ? '上海' : 'Lisbon')
  return (
    withoutAgents(scene, ['researcher']) ?? [
      isChinese
        ? textBeat('这件事我交给研究员 `researcher`，它查完之后还会请 `checker` 核对。')
        : textBeat('I hand this to the `researcher`, who will have the result checked by the `checker`.'),
      isChinese
        ? askBeat('researcher', `查一下${city}现在的气温，换算成华氏度，然后请人核对。`)
        : askBeat(
            'researcher',
            `Find out how warm it is in ${city}, also in Fahrenheit, and have it checked.`,
          ),
    ]
  )
}

export function askInParallel(scene: DemoScene): readonly DemoBeat[] {
  const { isChinese } = scene
  return (
    withoutAgents(scene, ['researcher']) ?? [
      isChinese
        ? textBeat('我同时请两位研究员，各查一座城市。')
        : textBeat('I ask two researchers at the same time, one for each city.'),
      ...(isChinese
        ? ['北京', '上海'].map(city => askBeat('researcher', `查一下${city}现在的气温，换算成华氏度。`))
        : ['Lisbon', 'Cairo'].map(city =>
            askBeat('researcher', `Find out how warm it is in ${city}, also in Fahrenheit.`),
          )),
    ]
  )
}

export function askBrokenAgent(scene: DemoScene): readonly DemoBeat[] {
  const { isChinese } = scene
  return (
    withoutAgents(scene, ['clumsy']) ?? [
      isChinese
        ? textBeat('我请教 `clumsy`，它的模型会在途中出错。')
        : textBeat('I ask the agent `clumsy`, whose model breaks off in the middle.'),
      askBeat('clumsy', isChinese ? '讲一个有结尾的故事。' : 'Tell a story that has an end.'),
    ]
  )
}

export function askInVain(scene: DemoScene): readonly DemoBeat[] {
  const { isChinese } = scene
  return (
    withoutAgents(scene, ['researcher']) ?? [
      isChinese
        ? textBeat('我请教一个不存在的智能体，同时让 `researcher` 去请教一个它无权请教的智能体。')
        : textBeat(
            'I ask an agent that does not exist, and have the `researcher` ask one that it may not ask.',
          ),
      askBeat('astronaut', isChinese ? '从上面看看天气。' : 'Look at the weather from above.'),
      askBeat('researcher', isChinese ? '请教一下 clumsy。' : 'Ask the agent clumsy for its opinion.'),
    ]
  )
}

export function askForApproval({ toolNames, isChinese }: DemoScene): readonly DemoBeat[] {
  if (!toolNames.has('send_report')) return [missingTools(['send_report'], isChinese)]
  return [
    isChinese
      ? textBeat('我想发送一份报告。这个工具需要您批准，在您决定之前什么都不会发生。')
      : textBeat(
          'I would like to send a report. The tool needs your approval: until you decide, nothing happens.',
        ),
    {
      type: 'tool-call',
      toolName: 'send_report',
      input: {
        to: 'team@example.com',
        text: isChinese ? '一切正常。' : 'All is well.',
      },
    },
  ]
}

export function askBrowser(scene: DemoScene): readonly DemoBeat[] {
  const { isChinese, toolNames, pageUrl } = scene
  const missing = withoutAgents(scene, ['browser'])
  if (missing !== undefined) return missing
  if (!toolNames.has('browser_navigate')) return [missingTools(['browser_navigate'], isChinese)]
  if (pageUrl === undefined) {
    return [
      isChinese
        ? textBeat('这里没有可以打开的演示页面。')
        : textBeat('I would send the `browser` agent to the demo page, but there is none here.'),
    ]
  }
  return [
    isChinese
      ? textBeat('我请 `browser` 打开演示页面、填写表单并截图。')
      : textBeat('I ask the `browser` agent to open the demo page, fill in its form and take a screenshot.'),
    askBeat('browser', browserTask(pageUrl, isChinese)),
  ]
}

export function offerPage({ toolNames, isChinese }: DemoScene): readonly DemoBeat[] {
  if (!toolNames.has('open-url')) return [missingTools(['open-url'], isChinese)]
  return [
    isChinese ? textBeat('我为您提供一个网页。') : textBeat('Here is a page that you may want to see.'),
    {
      type: 'tool-call',
      toolName: 'open-url',
      input: { url: 'https://example.com/', title: 'Example Domain' },
    },
  ]
}
