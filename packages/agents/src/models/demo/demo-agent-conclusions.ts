import { z } from 'zod'
import { type DemoBeat, textBeat } from './demo-beat.ts'
import { hasBrowsed } from './demo-browser-script.ts'
import { type Delegation, delegationsIn, describeDelegation } from './demo-delegation.ts'
import type { DemoScene } from './demo-prompt.ts'
import { tellResults } from './demo-tool-scripts.ts'

/** The master's conclusions in the scenarios about agents. It uses the reports of its sub-agents without repeating them. */

export function concludeResearch(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const [report] = delegationsIn(results)
  if (report === undefined) return tellResults(scene)
  const degrees = degreesIn(report)
  if (degrees === undefined) return [noNumber(report, isChinese)]
  if (isChinese) return [textBeat(`结论：${adviceInChinese(degrees)}`)]
  const isChecked = report.ok && report.summary.includes('was checked')
  const opening = isChecked ? 'So, now that two agents agree on the number' : 'So, on the word of one agent'
  return [textBeat(`${opening}: ${advice(degrees)}`)]
}

export function compareReports(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const reports = delegationsIn(results)
  if (reports.length === 0) return tellResults(scene)
  const failed = reports.find(report => degreesIn(report) === undefined)
  if (failed !== undefined) return [noNumber(failed, isChinese)]
  const [first = 0, second = 0] = reports.map(degreesIn)
  const gap = Math.round(Math.abs(first - second) * 10) / 10
  if (isChinese) {
    const which = first > second ? '第一座城市更暖和' : '第二座城市更暖和'
    return [textBeat(gap === 0 ? '结论：两座城市一样暖和。' : `结论：${which}，相差 ${gap} 度。`)]
  }
  const which = first > second ? 'The first city is the warmer one' : 'The second city is the warmer one'
  return [
    textBeat(
      gap === 0 ? 'Both are equally warm.' : `${which}, by ${gap} ${gap === 1 ? 'degree' : 'degrees'}.`,
    ),
  ]
}

export function explainBrokenAgent(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const [result] = delegationsIn(results)
  if (result === undefined) return tellResults(scene)
  const said = describeDelegation(result, isChinese)
  return [
    isChinese
      ? textBeat(`\`clumsy\` 没有完成任务。我得到的结果是 ${said}。它说过的话保留着，而我可以继续回答。`)
      : textBeat(
          `\`clumsy\` did not get to its end. The result I was given is ${said}. What it said by then is kept, and ` +
            'its failure is not mine: this answer goes on.',
        ),
  ]
}

export function explainRefusals(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const [unknown, passedOn] = delegationsIn(results)
  if (unknown === undefined) return tellResults(scene)
  const said = describeDelegation(unknown, isChinese)
  const second = passedOn?.ok === true
  if (isChinese) {
    const rest = second ? '`researcher` 自己也被拒绝了，原因写在它的消息里。' : ''
    return [
      textBeat(`\`astronaut\` 没有被请到：${said}。${rest}拒绝是一个普通的结果，模型读到之后可以另想办法。`),
    ]
  }
  const rest = second ? 'The `researcher` was refused as well, and says why in its own message. ' : ''
  return [
    textBeat(
      `\`astronaut\` was not asked: ${said}. ${rest}A refusal is a result like any other: a model reads it and ` +
        'finds another way.',
    ),
  ]
}

const receipt = z.object({ sent: z.literal(true), to: z.string() })

export function tellDecision(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const result = results.find(({ toolName }) => toolName === 'send_report')
  if (result === undefined) return tellResults(scene)
  if (result.status === 'failed') {
    return [
      isChinese
        ? textBeat(`什么都没有发送。工具的回答是：“${result.reason}”`)
        : textBeat(`Nothing was sent. I was told: "${result.reason}"`),
    ]
  }
  const sent = receipt.safeParse(result.value)
  if (!sent.success) return tellResults(scene)
  return [
    isChinese
      ? textBeat(`您批准了，报告已经“发送”给 ${sent.data.to}（演示工具，并没有真的发出）。`)
      : textBeat(
          `You allowed it, so the report went to ${sent.data.to}. (The demo tool only says so: nothing left this machine.)`,
        ),
  ]
}

export function tellBrowsing(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  const [result] = delegationsIn(results)
  if (result === undefined) return tellResults(scene)
  if (!result.ok) {
    const said = describeDelegation(result, isChinese)
    return [textBeat(isChinese ? `浏览器没有成功：${said}。` : `The browser did not make it: ${said}.`)]
  }
  if (!hasBrowsed(result.summary)) {
    return [
      isChinese
        ? textBeat('浏览器没有走到最后，原因写在它的消息里。')
        : textBeat('The browser agent did not get to the end, and says why in its message.'),
    ]
  }
  return [
    isChinese
      ? textBeat('以上就是一个智能体在真正的浏览器里的工作。')
      : textBeat('That was an agent at work in a real browser; its screenshot is in its message.'),
  ]
}

export function tellOffer(scene: DemoScene): readonly DemoBeat[] {
  const { results, isChinese } = scene
  if (results.some(({ status }) => status === 'failed') || results.length === 0) return tellResults(scene)
  return [
    isChinese
      ? textBeat('网页只有在您点击之后才会打开：智能体只能提议，不能替您打开。')
      : textBeat(
          'It opens when you click, and not before: an agent can offer a page, but not open it for you.',
        ),
  ]
}

function degreesIn(report: Delegation): number | undefined {
  const found = report.ok ? /(-?\d+(?:\.\d+)?) °C/.exec(report.summary)?.[1] : undefined
  return found === undefined ? undefined : Number(found)
}

function noNumber(report: Delegation, isChinese: boolean): DemoBeat {
  const said = describeDelegation(report, isChinese)
  if (report.ok) {
    return isChinese
      ? textBeat('报告里没有气温，所以我无法下结论。')
      : textBeat('There is no temperature in the report, so I cannot conclude anything from it.')
  }
  return isChinese
    ? textBeat(`没有得到报告：${said}。所以我无法下结论。`)
    : textBeat(`I got no report: ${said}. So there is nothing to conclude.`)
}

function advice(degrees: number): string {
  if (degrees >= 22) return 'dress lightly.'
  return degrees >= 12 ? 'a jacket will do.' : 'take a warm coat.'
}

function adviceInChinese(degrees: number): string {
  if (degrees >= 22) return '穿得轻便些就好。'
  return degrees >= 12 ? '带一件外套就够了。' : '请穿上厚大衣。'
}
