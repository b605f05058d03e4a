import { createId, isMessageId, type MessageId } from '@throughline/protocol'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import { testFrame } from '@throughline/testing/agent/test-frame'
import type { Browser } from 'playwright-core'
import { type BrowserToolsOptions, browserTools } from '../../../src/browser/browser-tools.ts'
import { chromiumLauncher } from '../../../src/browser/launch-chromium.ts'
import { inFrame } from '../../../src/run/agent-frame.ts'
import type { RunScope } from '../../../src/run/run-scope.ts'
import { RunStopped } from '../../../src/run/run-stopped.ts'
import { ToolFactoryRegistry } from '../../../src/run/tool-factory-registry.ts'
import { toolSetOf } from '../../../src/run/wrap-tool.ts'

/** An agent of a run that uses the browser; each has a message of its own. */
interface BrowserAgent {
  call(key: string, input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>
}

export interface BrowserRun extends BrowserAgent, AsyncDisposable {
  readonly files: readonly Uint8Array[]
  /** Another agent of the same run. */
  another(): BrowserAgent
  stop(): void
  /** The run ends as the server would end it. */
  end(): Promise<void>
}

const launchReal = chromiumLauncher(process.env)

/** Browser tools as a server has them, and runs that use them. */
export function startableRuns(options: BrowserToolsOptions = {}) {
  const browsers: Browser[] = []
  const launching = Promise.withResolvers<void>()
  const launch = async () => {
    launching.resolve()
    const browser = await launchReal()
    browsers.push(browser)
    return browser
  }
  const tools = new ToolFactoryRegistry(browserTools({ launch, ...options }))
  return { browsers, launching: launching.promise, startRun: () => startRun(tools) }
}

function startRun(tools: ToolFactoryRegistry): BrowserRun {
  const files: Uint8Array[] = []
  const cleanUps: (() => Promise<void>)[] = []
  const stop = new AbortController()
  const run: RunScope = {
    ...testRunScope({
      now: () => new Date(),
      newMessageId: async () => newId(),
      async keepFile({ bytes }) {
        files.push(bytes)
        return `/files/${files.length}`
      },
      onEnd: cleanUp => void cleanUps.push(cleanUp),
      stop: reason => stop.abort(reason),
    }),
    tools,
  }
  const end = async () => {
    await Promise.all(cleanUps.splice(0).map(cleanUp => cleanUp()))
  }
  return {
    files,
    ...agentOf(run, stop.signal),
    another: () => agentOf(run, stop.signal),
    stop: () => run.stop(new RunStopped('stopped', 'Stopped by the test.')),
    end,
    [Symbol.asyncDispose]: end,
  }
}

function agentOf(run: RunScope, signal: AbortSignal): BrowserAgent {
  const frame = testFrame({ run, agent: { toolKeys: ['*'] }, messageId: newId(), signal })
  const tools = toolSetOf(frame)
  return {
    call: async (key, input) => {
      const execute = tools[key]?.execute
      if (execute === undefined) throw new Error(`There is no tool ${key}.`)
      const toolCallId = newId()
      const context = { toolCallId, messages: [], context: {}, abortSignal: signal }
      // A tool begins when its call is in the log.
      await frame.writer.write({ type: 'tool-call', toolCallId, toolName: key, input })
      return inFrame(frame, () => execute(input, context))
    },
  }
}

function newId(): MessageId {
  return createId(isMessageId, 'msg')
}
