import { type DemoBeat, textBeat } from './demo-beat.ts'
import { longText } from './demo-long-text.ts'
import type { DemoScene } from './demo-prompt.ts'
import { richSources, richText, richTextInChinese } from './demo-rich-text.ts'
import { markdownSample, reasoningSteps, reasoningStepsInChinese } from './demo-text.ts'
import { quoteStart } from './demo-words.ts'
import type { SeededRandom } from './seeded-random.ts'

export function reason({ isChinese }: DemoScene): readonly DemoBeat[] {
  const steps = isChinese ? reasoningStepsInChinese : reasoningSteps
  return [
    ...steps.map(step => ({ type: 'reasoning', text: step }) as const),
    isChinese
      ? textBeat('打开标着“两样都有”的盒子看一次就够了。以上推理来自脚本：我是演示模型，并不会真的思考。')
      : textBeat(
          'Open the box labelled "both": one look settles all three. The reasoning above was ' +
            'scripted: this is the demo model, and it does not think.',
        ),
  ]
}

export function reciteMarkdown({ isChinese }: DemoScene): readonly DemoBeat[] {
  return isChinese
    ? [textBeat('下面是一段固定的英文 Markdown 示例。\n\n'), textBeat(markdownSample)]
    : [textBeat(markdownSample)]
}

export function reciteRich({ isChinese }: DemoScene): readonly DemoBeat[] {
  return [
    textBeat(isChinese ? richTextInChinese : richText),
    ...richSources.map(source => ({ type: 'source', ...source }) as const),
  ]
}

export function reciteLong({ isChinese }: DemoScene, random: SeededRandom): readonly DemoBeat[] {
  const opening = isChinese
    ? '下面是脚本演示模型随机拼成的一篇英文长文，可以随时停止。'
    : 'Here is a long text that the scripted demo model puts together from ready-made sentences. Stop it at any time.'
  return [textBeat(`${opening}\n\n`), textBeat(longText(3200, random))]
}

export function breakOff({ isChinese }: DemoScene): readonly DemoBeat[] {
  return [
    isChinese
      ? textBeat('这个回答一开始很正常，但是脚本安排它在写完之前就')
      : textBeat(
          'This answer starts well. It has a second sentence, too. But the script says that before it can',
        ),
    { type: 'failure', message: 'The demo model broke off in the middle of its answer, as the script says.' },
  ]
}

export function answerBriefly({ question, fileCount }: DemoScene): readonly DemoBeat[] {
  const piece = quoteStart(question, 81)
  const files =
    fileCount > 0 ? `I cannot read the ${fileCount === 1 ? 'file' : `${fileCount} files`} you attached. ` : ''
  const echo = piece === '' ? 'Hello!' : `Hello! You wrote: "${piece}".`
  return [
    textBeat(
      `${echo} I am the scripted demo model, not a language model, so I cannot really answer that. ${files}` +
        'Type **help** to see what I can show you.',
    ),
  ]
}
