import type { Agent, AgentFrame } from '@throughline/agents'
import { openMasterFrame, type RunScope, UsageLedger } from '@throughline/agents/internal'
import { isMessageId } from '@throughline/protocol'
import { idOf } from '../log/id-of.ts'
import { testRunScope } from './run-scope.ts'

export interface TestFrameOptions {
  readonly run?: RunScope
  readonly agent?: Partial<Agent>
  readonly messageId?: string
  readonly signal?: AbortSignal
}

/** Opens the frame of a master without a server. */
export function testFrame({
  run = testRunScope(),
  agent = {},
  messageId = 'answer',
  signal = new AbortController().signal,
}: TestFrameOptions = {}): AgentFrame {
  const master: Agent = { name: 'test', displayName: 'Test', run: neverRuns, ...agent }
  const ledger = new UsageLedger({})
  return openMasterFrame(run, master, { messageId: idOf(isMessageId, messageId), ledger, signal })
}

function neverRuns(): never {
  throw new Error('This agent is only here to open a frame.')
}
