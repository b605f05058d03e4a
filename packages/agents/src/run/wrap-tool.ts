import { truncatedIn } from '@throughline/protocol'
import type { Tool, ToolSet } from 'ai'
import { cutErrorText } from '../values/cut-value.ts'
import { toJsonValue } from '../values/json-value.ts'
import { describePictures } from '../values/keep-pictures.ts'
import { type AgentFrame, currentFrame, inFrame } from './agent-frame.ts'
import { assertMayAct, assertShown } from './assert-may-act.ts'
import type { RunScope } from './run-scope.ts'
import { type ApprovalRule, runsOutside, type ToolFactory } from './tool-factory-registry.ts'
import { waitForApproval } from './wait-for-approval.ts'
import { waitForOutput } from './wait-for-output.ts'

/**
 * Returns the tools of the agent that works in this frame, by key, as the AI SDK wants them. A tool begins only after the
 * agent has yielded the `tool-call` event of its call; see docs/guides/add-an-agent.md.
 */
export function toolSetOf({ run, toolKeys }: AgentFrame): ToolSet {
  const maxOutputChars = run.limits.maxToolOutputChars
  return Object.fromEntries(
    [...toolKeys].flatMap(key => {
      const factory = factoryOf(run, key)
      return factory === undefined ? [] : [[key, wrapTool(factory, { maxOutputChars })]]
    }),
  )
}

/** Returns the tool with this key: one of the server, or one that the request brought. */
export function factoryOf(
  { tools, clientTools = [] }: Pick<RunScope, 'tools' | 'clientTools'>,
  key: string,
): ToolFactory | undefined {
  return clientTools.find(factory => factory.key === key) ?? tools.find(key)
}

/**
 * Returns a tool as agents get it. It begins after its call is in the log, and after a person has approved it where that
 * is needed. The model reads no more than `maxOutputChars` of an output or an error.
 */
export function wrapTool(
  factory: ToolFactory,
  { maxOutputChars }: { readonly maxOutputChars: number },
): Tool {
  const tool = factory.make()
  return {
    ...withShortErrors(afterItsCall(tool, factory), maxOutputChars),
    toModelOutput: async options => {
      const usual = () => modelOutput(options.output, maxOutputChars)
      // A tool's own text for the model is short already. But the tool cannot read an output that was cut.
      const { toModelOutput: own = usual } = tool
      if (truncatedIn(options.output) !== undefined) return usual()
      try {
        return await own(options)
      } catch {
        // In later answers the output comes from the log, with addresses in place of its pictures. The tool may not
        // expect that.
        return usual()
      }
    },
  }
}

/** The model reads the message of an error that a tool throws, so it must not be too long. */
function withShortErrors(tool: Tool, maxChars: number): Tool {
  const { execute } = tool
  if (execute === undefined) return tool
  return {
    ...tool,
    execute: async (input: unknown, options: Parameters<typeof execute>[1]) => {
      try {
        return await execute(input, options)
      } catch (error) {
        if (!(error instanceof Error) || error.message.length <= maxChars) throw error
        throw new Error(cutErrorText(error.message, maxChars), { cause: error })
      }
    },
  }
}

/** What the tool writes (UI events, progress, a sub-agent's message) must come after its call: readers look for it there. */
function afterItsCall(tool: Tool, factory: ToolFactory): Tool {
  const { key } = factory
  const { execute } = tool
  if (execute === undefined && !runsOutside(tool)) return tool
  return {
    ...tool,
    // The call waits for the person inside of the tool. The AI SDK's own way would end the answer.
    needsApproval: false,
    execute: async (input: unknown, options: CallOptions) => {
      const call = { toolCallId: options.toolCallId, toolName: key, input }
      const caller = currentFrame()
      const frame = { ...caller, callId: await caller.writer.called(call.toolCallId, key) }
      return inFrame(frame, async () => {
        assertShown(input, frame.run.limits.maxToolOutputBytes)
        const isAsked = frame.earlierApproval !== undefined
        if (isAsked || (await needsApproval([factory.needsApproval, tool.needsApproval], input, options)))
          await waitForApproval(frame, call)
        if (execute === undefined) return waitForOutput(frame, { ...call, from: 'client' })
        // If the process dies now, the next one must find the call in the log. Otherwise the model would make it again,
        // and the tool would run twice.
        await frame.run.flush()
        await assertMayAct(frame.run, factory)
        const result: unknown = execute(input, options)
        if (!isAsyncIterable(result)) return result
        return lastOf(result, output => frame.writer.write({ type: 'tool-progress', ...call, output }))
      })
    },
  }
}

type CallOptions = Parameters<NonNullable<Tool['execute']>>[1]

/** The rule of the configuration and that of the tool: a call needs approval if one of them says so. */
async function needsApproval(
  rules: readonly (ApprovalRule | undefined)[],
  input: unknown,
  options: CallOptions,
): Promise<boolean> {
  for (const rule of new Set(rules)) {
    if (rule === true || (typeof rule === 'function' && (await rule(input, options)))) return true
  }
  return false
}

// The AI SDK shows progress only when a tool returns an iterable at once. Our tools have to wait first.
async function lastOf(outputs: AsyncIterable<unknown>, show: (output: unknown) => Promise<void>) {
  let last: unknown
  for await (const output of outputs) {
    last = output
    await show(output)
  }
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Returns the beginning of an output, with a note when it is cut, and a note in place of each picture. */
function modelOutput(
  given: unknown,
  maxChars: number,
): Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>> {
  const output = describePictures(given)
  const text = typeof output === 'string' ? output : JSON.stringify(toJsonValue(output))
  if (text.length > maxChars) {
    const left = text.length - maxChars
    // Half a character would make some providers refuse the whole request.
    const beginning = text.slice(0, maxChars).toWellFormed()
    return { type: 'text', value: `${beginning}\n[${left} more characters were left out.]` }
  }
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(text) }
}
