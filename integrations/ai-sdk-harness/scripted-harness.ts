import type {
  HarnessV1,
  HarnessV1PromptTurnOptions,
  HarnessV1Session,
  HarnessV1StreamPart,
} from '@ai-sdk/harness'
import { tool } from 'ai'
import { z } from 'zod'

/** One answer of the scripted runtime. */
export interface ScriptedTurn {
  readonly prompt: HarnessV1PromptTurnOptions['prompt']
  /** Aborts when the answer is stopped. */
  readonly signal: AbortSignal | undefined
  emit(part: HarnessV1StreamPart): void
  /** Resolves with the result of a tool that runs in the server. */
  resultOf(toolCallId: string): Promise<unknown>
}

export type Script = (turn: ScriptedTurn) => Promise<void>

/** Returns an adapter for a runtime that lives in this process and does what the script says. It needs no sandbox. */
export function scriptedHarness(script: Script) {
  const harnessId = 'scripted'
  const specificationVersion = 'harness-v1'
  const state = { harnessId, specificationVersion, data: null } as const
  const unsupported = async () => {
    throw new Error('The scripted harness cannot do this.')
  }
  const harness = {
    harnessId,
    specificationVersion,
    builtinTools: { bash: tool({ inputSchema: z.object({ command: z.string() }) }) },
    doStart: async ({ sessionId }): Promise<HarnessV1Session> => ({
      sessionId,
      isResume: false,
      doPromptTurn: async options => startTurn(script, options),
      doContinueTurn: unsupported,
      doCompact: unsupported,
      doSuspendTurn: async () => ({ ...state, type: 'continue-turn' }),
      doDetach: async () => ({ ...state, type: 'resume-session' }),
      doStop: async () => ({ ...state, type: 'resume-session' }),
      doDestroy: async () => undefined,
    }),
  } satisfies HarnessV1
  return harness
}

function startTurn(script: Script, { prompt, emit, abortSignal: signal }: HarnessV1PromptTurnOptions) {
  const results = new Map<string, PromiseWithResolvers<unknown>>()
  const resultFor = (toolCallId: string) => {
    const result = results.get(toolCallId) ?? Promise.withResolvers<unknown>()
    results.set(toolCallId, result)
    return result
  }
  const resultOf = (toolCallId: string) => resultFor(toolCallId).promise
  return {
    submitToolResult: async ({ toolCallId, output }: { toolCallId: string; output: unknown }) =>
      resultFor(toolCallId).resolve(output),
    done: script({ prompt, signal, emit, resultOf }),
  }
}
