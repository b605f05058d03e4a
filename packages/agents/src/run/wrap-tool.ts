import { truncatedIn } from '@throughline/protocol/truncated-value'
import type { Tool } from 'ai'
import { cutErrorText, cutValue } from '../values/cut-value.ts'
import { toJsonValue } from '../values/json-value.ts'
import { describePictures } from '../values/pictures/keep-pictures.ts'
import { currentFrame, inFrame } from './agent-frame.ts'
import { askApproval } from './ask-approval.ts'
import type { ToolFactory } from './tool-factory-registry.ts'

/**
 * A tool as agents get it: it begins when its call has been written, asks first where it must, and tells the model no
 * more than the model can take.
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
      // What a tool says to the model of its own accord is short already. It does not know an output that was cut.
      const { toModelOutput: own = usual } = tool
      if (truncatedIn(options.output) !== undefined) return usual()
      try {
        return await own(options)
      } catch {
        // In later answers an output comes from the log, where its pictures are addresses. Not every tool expects that.
        return usual()
      }
    },
  }
}

/** The model reads what a tool throws. */
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

/** Whatever the tool writes (UI events, progress, a sub-agent's message) comes after its call, where readers look for it. */
function afterItsCall(tool: Tool, { key, needsApproval = false }: ToolFactory): Tool {
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
        if (needsApproval === true || (needsApproval !== false && needsApproval(input)))
          await askApproval(frame, call)
        const result: unknown = execute(input, options)
        if (!isAsyncIterable(result)) return result
        return lastOf(result, output => frame.writer.write({ type: 'tool-progress', ...call, output }))
      })
    },
  }
}

// Whoever approves a call, or looks at it later, sees all that the tool was given.
function assertShown(input: unknown, maxBytes: number): void {
  const size = truncatedIn(cutValue(input, { limit: 'maxToolOutputBytes', maxBytes }).value)?.bytes ?? 0
  if (size <= maxBytes) return
  throw new Error(`The input has ${size} bytes, and ${maxBytes} are allowed. Send less at once.`)
}

// The AI SDK shows progress only when a tool answers with an iterable at once, and this one had to wait first.
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

/** The page keeps more of an output; the model gets its beginning, and is told so. Of pictures it is only told. */
function modelOutput(
  given: unknown,
  maxChars: number,
): Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>> {
  const output = describePictures(given)
  const text = typeof output === 'string' ? output : JSON.stringify(toJsonValue(output))
  if (text.length > maxChars) {
    const left = text.length - maxChars
    // Not half a character: there are providers that refuse the whole request for one.
    const beginning = text.slice(0, maxChars).toWellFormed()
    return { type: 'text', value: `${beginning}\n[${left} more characters were left out.]` }
  }
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(text) }
}
