import { type AnswerPlan, type PlannedItem, plannedModel } from '@throughline/testing/agent/planned-model'
import { countedTool } from '@throughline/testing/nodes/counted-tool'
import { dieTool } from '@throughline/testing/nodes/deadly-agents'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import { type Dying, type Order, orderIn, wordsOf } from './order.ts'

const takesMs = 1_000

/**
 * Returns the options of a node: `master` says the words of its order, uses tools and asks the sub-agent `helper` for two
 * things at once, and each `helper` asks a `worker`. The tool `look` is idempotent, `pay` is not, and `die` ends its process.
 * Each effect of a tool is a line in the file.
 */
export function nodeAgents(effectsFile: string) {
  const { agents = [], ...options } = delegating({
    model: plannedModel((agent, question) =>
      agent === 'master' ? masterPlan(orderIn(question)) : delegatePlan(agent, question),
    ),
    tools: [
      countedTool('look', { file: effectsFile, isIdempotent: true, takesMs }),
      countedTool('pay', { file: effectsFile, isIdempotent: false, takesMs }),
      dieTool(effectsFile),
    ],
    subAgents: [
      subAgent('helper', { tools: ['look', 'pay', 'die'], allowedSubAgents: ['worker'] }),
      subAgent('worker', { tools: ['look', 'pay'] }),
    ],
    // Each continuation takes one more step.
    limits: { maxSteps: 200 },
  })
  return { ...options, agents }
}

/** With tools, five pieces of text. After each but the last, the master calls tools or asks helpers. */
function masterPlan(order: Order): AnswerPlan {
  const words = wordsOf(order)
  if (order.dies !== undefined) return deadlyPlan(order, order.dies)
  if (!order.hasTool) return { items: [{ type: 'say', text: words.join('') }], pauseMs: order.pauseMs }
  const piece = Math.ceil(words.length / 5)
  const say = (index: number): PlannedItem => {
    return { type: 'say', text: words.slice(index * piece, (index + 1) * piece).join('') }
  }
  const items = [
    ...[say(0), call('look', 'task 1'), say(1), call('pay', 'task 2'), say(2)],
    ...[ask('helper', 'Help with this.'), ask('helper', 'Help with that.')],
    ...[say(3), call('pay', 'task 3'), say(4)],
  ]
  return { items, pauseMs: order.pauseMs }
}

/** How often an answer kills its process, if nobody ends it. */
const deadlyCalls = 50

function deadlyPlan(order: Order, dying: Dying): AnswerPlan {
  const calls = Array.from({ length: deadlyCalls }, (_, index): readonly PlannedItem[] => [
    dying.isInHelper ? ask('helper', `${deadlyTask}${index}: ${JSON.stringify(dying)}`) : die(dying, index),
    { type: 'say', text: 'I try again. ' },
  ])
  return { items: [{ type: 'say', text: wordsOf(order).join('') }, ...calls.flat()], pauseMs: order.pauseMs }
}

const deadlyTask = 'Die '

function die({ how, afterMs }: Dying, index: number): PlannedItem {
  return { type: 'call', toolName: 'die', input: { how, afterMs, task: `die ${index}` } }
}

/** No two agents of a run have the same task, and no two calls the same input. */
function delegatePlan(agent: string, task: string): AnswerPlan {
  if (task.startsWith(deadlyTask)) {
    const dying: Dying = JSON.parse(task.slice(task.indexOf('{')))
    const index = Number.parseInt(task.slice(deadlyTask.length), 10)
    return { items: [{ type: 'say', text: 'I help. ' }, die(dying, index)], pauseMs: 50 }
  }
  const middle = agent === 'helper' ? ask('worker', `Work: ${task}`) : call('look', `${task} First`)
  return {
    items: [
      { type: 'say', text: 'I begin to help. ' },
      call('pay', task),
      { type: 'say', text: 'I have paid, and now I look at everything once more, slowly and with care. ' },
      middle,
      { type: 'say', text: 'I look at what has come of it. ' },
      call('look', task),
      { type: 'say', text: 'That is all.' },
    ],
    pauseMs: 50,
  }
}

function ask(name: string, task: string): PlannedItem {
  return { type: 'call', toolName: 'subAgent', input: { name, task } }
}

function call(toolName: 'look' | 'pay', task: string): PlannedItem {
  return { type: 'call', toolName, input: { task } }
}
