import { type DemoBeat, textBeat } from './demo-beat.ts'
import type { DemoScene } from './demo-prompt.ts'
import { describeResult } from './demo-results.ts'

/** Returns a task for the browser agent. The demo model knows by its words what to do. */
export function browserTask(pageUrl: string, isChinese: boolean): string {
  return isChinese
    ? `演示页面 ${pageUrl} ：打开它，在表单里填写名字并提交，然后截图。`
    : `Demo page ${pageUrl} : open it, fill in the name in its form, send it, and take a screenshot.`
}

export function pageOfBrowserTask(task: string): string | undefined {
  return /^(?:Demo page|演示页面) (https?:\/\/\S+) /.exec(task)?.[1]
}

export const browserStages = [openPage, fillForm, sendForm, takeScreenshot, tellWhatWasSeen] as const

function openPage({ question, isChinese }: DemoScene): readonly DemoBeat[] {
  const url = pageOfBrowserTask(question) ?? ''
  return [
    textBeat(isChinese ? '我打开页面。' : 'I open the page.'),
    { type: 'tool-call', toolName: 'browser_navigate', input: { url } },
  ]
}

function fillForm(scene: DemoScene): readonly DemoBeat[] {
  return step(scene, {
    text: scene.isChinese ? '接着填写表单。' : 'Now the form.',
    toolName: 'browser_type',
    input: { selector: 'input[name=name]', text: scene.isChinese ? '小明' : 'Ada' },
  })
}

function sendForm(scene: DemoScene): readonly DemoBeat[] {
  return step(scene, {
    text: scene.isChinese ? '提交。' : 'I send it.',
    toolName: 'browser_click',
    input: { selector: 'button' },
  })
}

function takeScreenshot(scene: DemoScene): readonly DemoBeat[] {
  return step(scene, {
    text: scene.isChinese ? '最后截图。' : 'And a screenshot of what came back.',
    toolName: 'browser_screenshot',
    input: {},
  })
}

function tellWhatWasSeen(scene: DemoScene): readonly DemoBeat[] {
  return [failureIn(scene) ?? textBeat(scene.isChinese ? success.chinese : success.english)]
}

const success = {
  english: 'The form was sent, and the screenshot shows the answer.',
  chinese: '表单已经提交，截图也有了。',
} as const

/** Returns whether the browser agent has reached the end of its script, judging by its summary. */
export function hasBrowsed(summary: string): boolean {
  return summary.includes(success.english) || summary.includes(success.chinese)
}

interface BrowserStep {
  readonly text: string
  readonly toolName: string
  readonly input: Readonly<Record<string, string>>
}

/** Returns the next beats, or says what has gone wrong before. */
function step(scene: DemoScene, { text, toolName, input }: BrowserStep): readonly DemoBeat[] {
  const failure = failureIn(scene)
  if (failure !== undefined) return [failure]
  return [textBeat(text), { type: 'tool-call', toolName, input }]
}

function failureIn({ results, isChinese }: DemoScene): DemoBeat | undefined {
  const failed = results.find(({ status }) => status === 'failed')
  return failed === undefined ? undefined : textBeat(describeResult(failed, isChinese))
}
