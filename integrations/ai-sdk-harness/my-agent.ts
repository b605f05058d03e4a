import type { HarnessV1StreamPart } from '@ai-sdk/harness'
import { HarnessAgent } from '@ai-sdk/harness/agent'
import { type Experimental_SandboxSession, tool } from 'ai'
import { z } from 'zod'
import { type Script, type ScriptedTurn, scriptedHarness } from './scripted-harness.ts'

/** What the scripted runtime was asked, and whether it was stopped. */
export const turns: ScriptedTurn[] = []

/** The sandboxes that were opened: one for each session. */
export const sandboxes: Experimental_SandboxSession[] = []

const report = z.object({ city: z.string(), sky: z.string() })

/** What the runtime does, by the text of the question. */
const scripts: Readonly<Record<string, Script>> = {
  'How is the weather?': async ({ emit, resultOf }) => {
    say(emit, 'Let me look. ')
    callTool(emit, 'weather')
    // As the adapters of the library do: the result of a tool of ours comes back as an event.
    const result = report.parse(await resultOf('call'))
    emit({ type: 'tool-result', toolCallId: 'call', toolName: 'weather', result })
    finishStep(emit, 'tool-calls')
    say(emit, 'It is clear.')
    finish(emit)
  },
  Think: async ({ emit }) => {
    emit({ type: 'reasoning-start', id: 'r' })
    emit({ type: 'reasoning-delta', id: 'r', delta: 'They greet me.' })
    emit({ type: 'reasoning-end', id: 'r' })
    say(emit, 'Hello!')
    finish(emit)
  },
  Change: async ({ emit }) => {
    emit({ type: 'file-change', event: 'create', path: 'TODO.md' })
    say(emit, 'Done.')
    finish(emit)
  },
  Run: async ({ emit }) => {
    const call = { toolCallId: 'call', toolName: 'bash' }
    emit({ type: 'tool-call', ...call, input: '{"command":"make"}', providerExecuted: true })
    emit({ type: 'tool-result', ...call, result: { exitCode: 2 }, isError: true })
    say(emit, 'It does not compile.')
    finish(emit)
  },
  Break: async ({ emit }) => {
    say(emit, 'It is ')
    throw new Error('The runtime is gone.')
  },
  Wait: async ({ emit, signal }) => {
    say(emit, 'One moment. ')
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  },
  'Ask me': async ({ emit, resultOf }) => {
    callTool(emit, 'refund')
    await resultOf('call')
  },
}

const weather = tool({
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'clear' }),
})

const refund = tool({
  description: 'Pays money back.',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => ({ paid: true }),
})

export const agent = new HarnessAgent({
  harness: scriptedHarness(async turn => {
    turns.push(turn)
    turn.emit({ type: 'stream-start', modelId: 'model' })
    await scripts[textOf(turn.prompt)]?.(turn)
  }),
  tools: { weather, refund },
  toolApproval: { refund: 'user-approval' },
})

/** Returns a sandbox that is only a folder name: the scripted runtime does nothing in it. */
export async function openSandbox(): Promise<Experimental_SandboxSession> {
  const unused = async () => {
    throw new Error('This sandbox has no files and no processes.')
  }
  const sandbox: Experimental_SandboxSession = {
    description: 'An empty sandbox.',
    readFile: async () => null,
    readBinaryFile: async () => null,
    readTextFile: async () => null,
    writeFile: unused,
    writeBinaryFile: unused,
    writeTextFile: unused,
    spawn: unused,
    // The library asks for the working directory, and makes a folder in it.
    run: async () => ({ exitCode: 0, stdout: '/work', stderr: '' }),
  }
  sandboxes.push(sandbox)
  return sandbox
}

type Emit = (part: HarnessV1StreamPart) => void

const usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 5, text: 2, reasoning: 3 },
}

function say(emit: Emit, delta: string): void {
  emit({ type: 'text-start', id: 't' })
  emit({ type: 'text-delta', id: 't', delta })
  emit({ type: 'text-end', id: 't' })
}

function callTool(emit: Emit, toolName: string): void {
  emit({ type: 'tool-call', toolCallId: 'call', toolName, input: '{"city":"Lisbon"}' })
}

function finishStep(emit: Emit, unified: 'stop' | 'tool-calls'): void {
  emit({ type: 'finish-step', finishReason: { unified, raw: unified }, usage })
}

function finish(emit: Emit): void {
  finishStep(emit, 'stop')
  emit({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, totalUsage: usage })
}

function textOf(prompt: ScriptedTurn['prompt']): string {
  if (typeof prompt === 'string') return prompt
  const { content } = prompt
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
