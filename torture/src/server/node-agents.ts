import { type AnswerPlan, type PlannedItem, plannedModel } from '@throughline/testing/agent/planned-model'
import { countedTool } from '@throughline/testing/nodes/counted-tool'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import { type Order, orderIn, wordsOf } from './order.ts'

const takesMs = 1_000

/**
 * Returns the options of a node: `master` says the words of its order, uses tools and asks the sub-agent `helper`. The
 * tool `look` is idempotent, `pay` is not. Each effect of a tool is a line in the file.
 */
export function nodeAgents(effectsFile: string) {
  const { agents = [], ...options } = delegating({
    model: plannedModel((agent, question) =>
      agent === 'helper' ? helperPlan : masterPlan(orderIn(question)),
    ),
    tools: [
      countedTool('look', { file: effectsFile, isIdempotent: true, takesMs }),
      countedTool('pay', { file: effectsFile, isIdempotent: false, takesMs }),
    ],
    subAgents: [subAgent('helper', { tools: ['look', 'pay'] })],
    // Each continuation takes one more step.
    limits: { maxSteps: 200 },
  })
  return { ...options, agents }
}

/** Five pieces of text. After each but the last, the master calls tools or asks the helper. */
function masterPlan(order: Order): AnswerPlan {
  const words = wordsOf(order)
  const piece = Math.ceil(words.length / 5)
  const say = (index: number): PlannedItem => {
    return { type: 'say', text: words.slice(index * piece, (index + 1) * piece).join('') }
  }
  const ask: PlannedItem = {
    type: 'call',
    toolName: 'subAgent',
    input: { name: 'helper', task: 'Help with this.' },
  }
  const items = [say(0), call('look', 1), say(1), call('pay', 2), say(2), ask, say(3), call('pay', 3), say(4)]
  return { items, pauseMs: order.pauseMs }
}

const helperPlan: AnswerPlan = {
  items: [
    { type: 'say', text: 'I begin to help. ' },
    call('pay', 4),
    { type: 'say', text: 'I have paid, and now I look at everything once more, slowly and with care. ' },
    call('look', 5),
    { type: 'say', text: 'That is all.' },
  ],
  pauseMs: 50,
}

function call(toolName: 'look' | 'pay', number: number): PlannedItem {
  return { type: 'call', toolName, input: { task: `task ${number}` } }
}
