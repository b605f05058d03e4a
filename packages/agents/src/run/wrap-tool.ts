import { truncatedIn } from '@throughline/protocol'
import type { Tool } from 'ai'
import { cutErrorText } from '../values/cut-value.ts'
import { toJsonValue } from '../values/json-value.ts'
import { describePictures } from '../values/pictures/keep-pictures.ts'
import { currentFrame, inFrame } from './agent-frame.ts'
import { askApproval } from './ask-approval.ts'
import { assertMayAct } from './assert-may-act.ts'
import { assertShown } from './assert-shown.ts'
import type { ToolFactory } from './tool-factory-registry.ts'

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
  const { key, needsApproval = false } = factory
  const { execute } = tool
  if (execute === undefined) return tool
  return {
    ...tool,
    execute: async (input: unknown, options: Parameters<typeof execute>[1]) => {
      const call = { toolCallId: options.toolCallId, toolName: key, input }
      const caller = currentFrame()
      const frame = { ...caller, callId: await caller.writer.called(call.toolCallId, key) }
      return inFrame(frame, async () => {
        assertShown(input, frame.run.limits.maxToolOutputBytes)
        const isAsked = frame.earlierApproval !== undefined
        if (isAsked || needsApproval === true || (needsApproval !== false && needsApproval(input)))
          await askApproval(frame, call)
        // If the process dies now, the next one must find the call in the log. Otherwise the model would make it again,
        // and the tool would run twice.
        await frame.run.flush()
        assertMayAct(frame.run, factory)
        const result: unknown = execute(input, options)
        if (!isAsyncIterable(result)) return result
        return lastOf(result, output => frame.writer.write({ type: 'tool-progress', ...call, output }))
      })
    },
  }
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
