import { testRunScope } from '@throughline/testing/agent/run-scope'
import { finish, say } from '@throughline/testing/agent/scripted-agent'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { tool } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Agent } from '../../src/agent/agent.ts'
import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { SubAgent } from '../../src/delegation/base-agent.ts'
import { delegate } from '../../src/delegation/delegate.ts'
import { subAgentTool } from '../../src/delegation/sub-agent-tool.ts'
import type { AgentFrame } from '../../src/run/agent-frame.ts'
import { defaultLimits } from '../../src/run/limits.ts'
import { type Mode, modes, noContext, type RequestContext } from '../../src/run/request-context.ts'
import { runAgent } from '../../src/run/run-agent.ts'
import { subAgentToolKey, type ToolFactory, toolFactory } from '../../src/run/tool-factory-registry.ts'
import { toolSetOf } from '../../src/run/wrap-tool.ts'

const nothing = tool({ description: 'Does nothing.', inputSchema: z.object({}), execute: async () => ({}) })
const factories: readonly ToolFactory[] = [
  toolFactory('everywhere', nothing),
  toolFactory('not-in-settings', nothing, { modes: ['chat', 'browse'] }),
  toolFactory('on-pages', nothing, { modes: ['browse'] }),
  toolFactory('in-settings', nothing, { modes: ['settings'] }),
  subAgentTool,
]
const keys = factories.map(({ key }) => key)

/** An agent, whom it may ask, and whom it asks, and how. */
interface Node {
  readonly toolKeys: readonly string[]
  readonly allowed: 'everybody' | 'its own' | 'nobody'
  readonly mode: Mode | undefined
  readonly subAgents: readonly Node[]
}

// A bounded depth: without one, a tree can be deeper than the stack that generates it.
const tree: fc.Memo<Node> = fc.memo(depth =>
  fc.record({
    toolKeys: fc.array(fc.constantFrom('*', 'unknown', 'constructor', ...keys), { maxLength: 5 }),
    allowed: fc.constantFrom('everybody', 'its own', 'nobody'),
    mode: fc.constantFrom(undefined, ...modes),
    subAgents: depth <= 1 ? fc.constant([]) : fc.array(tree(), { maxLength: 2 }),
  }),
)
const permitted = fc.option(fc.uniqueArray(fc.constantFrom('unknown', ...keys)), { nil: undefined, freq: 3 })

test('nobody below a master has a tool that its caller has not, or that mode or policy forbid', async () => {
  await fc.assert(
    fc.asyncProperty(tree(6), fc.constantFrom(...modes), permitted, async (root, mode, policy) => {
      const frames = await framesOf(root, mode, policy)
      expect(frames.length).toBeGreaterThan(0)
      for (const { frame, parent, node } of frames) {
        const has = frame.toolKeys
        for (const key of has) {
          const factory = factories.find(each => each.key === key)
          expect(parent?.toolKeys.has(key) ?? true).toBe(true)
          expect(policy?.includes(key) ?? true).toBe(true)
          expect(factory?.modes?.includes(frame.mode) ?? factory !== undefined).toBe(true)
          expect([...node.toolKeys, subAgentToolKey].some(wanted => wanted === key || wanted === '*')).toBe(
            true,
          )
        }
        expect(has.has(subAgentToolKey) && frame.allowedSubAgents.length === 0).toBe(false)
        expect(modes.indexOf(frame.mode)).toBeLessThanOrEqual(modes.indexOf(parent?.mode ?? mode))
        expect(modes.indexOf(frame.mode)).toBeLessThanOrEqual(
          modes.indexOf(parent === undefined ? mode : (node.mode ?? mode)),
        )
        const made = toolSetOf(frame)
        expect(new Set(Object.keys(made))).toEqual(has)
      }
    }),
  )
})

interface Seen {
  readonly frame: AgentFrame
  readonly parent: AgentFrame | undefined
  readonly node: Node
}

type See = (node: Node, frame: AgentFrame) => void

/** Runs the tree, each agent asks all of its sub-agents at once, and returns the frames in which they worked. */
async function framesOf(
  root: Node,
  mode: Mode,
  policy: readonly string[] | undefined,
): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  const see: See = (node, frame) => {
    const parent = seen.find(each => each.frame.agent.name === frame.agent.path.at(-2))?.frame
    seen.push({ node, frame, parent })
  }
  const subAgents: TreeAgent[] = []
  const add = (node: Node, name: string): void => {
    for (const [index, below] of node.subAgents.entries()) {
      subAgents.push(new TreeAgent(`${name}.${index}`, below, see))
      add(below, `${name}.${index}`)
    }
  }
  add(root, 'a')
  const limits = { ...defaultLimits, maxDepth: 1_000, maxChildrenPerRun: 1_000 }
  const run = testRunScope({
    tools: factories,
    subAgents,
    limits,
    context: contextOf(mode),
    permittedTools: policy === undefined ? undefined : new Set(policy),
  })
  const frame = testFrame({
    run,
    agent: {
      name: 'a',
      toolKeys: root.toolKeys,
      allowedSubAgents: allowedOf(root, 'a'),
      maxDepth: limits.maxDepth,
    },
  })
  see(root, frame)
  await runAgent(agentOf('a', root, frame), frame, { messages: [] })
  return seen
}

class TreeAgent extends SubAgent {
  readonly #node: Node
  readonly #see: See

  constructor(name: string, node: Node, see: See) {
    super({ name, toolKeys: node.toolKeys, allowedSubAgents: allowedOf(node, name), systemPrompt: '' })
    this.#node = node
    this.#see = see
  }

  override buildAgent(frame: AgentFrame): Agent {
    this.#see(this.#node, frame)
    return agentOf(this.name, this.#node, frame)
  }
}

/** What a page tells in each mode. */
function contextOf(mode: Mode): RequestContext {
  if (mode === 'chat') return noContext
  const kind = mode === 'settings' ? 'settings' : 'page'
  return { tabs: [{ id: 'tab', title: '', url: 'https://example.com/', kind }], activeTabId: 'tab' }
}

function allowedOf({ allowed, subAgents }: Node, name: string): readonly string[] {
  if (allowed === 'everybody') return ['*']
  return allowed === 'nobody' ? [] : subAgents.map((_, index) => `${name}.${index}`)
}

/** Asks all of its sub-agents at once, as far as it can ask at all. */
function agentOf(name: string, node: Node, frame: AgentFrame): Agent {
  return {
    name,
    displayName: name,
    async *run(): AsyncGenerator<AgentEvent> {
      const calls = frame.toolKeys.has(subAgentToolKey) ? node.subAgents : []
      for (const [index] of calls.entries()) {
        yield { type: 'tool-call', toolCallId: `${index}`, toolName: subAgentToolKey, input: {} }
      }
      await Promise.all(
        calls.map(({ mode }, index) =>
          delegate(frame, { name: `${name}.${index}`, task: 'Go on.', options: { mode } }, `${index}`),
        ),
      )
      yield say('Done.')
      yield finish
    },
  }
}
