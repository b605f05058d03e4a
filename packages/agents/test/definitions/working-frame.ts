import { isMessageId } from '@throughline/protocol/ids'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import { idOf } from '@throughline/testing/log/id-of'
import type { AgentFrame } from '../../src/run/agent-frame.ts'
import { openFrame } from '../../src/run/open-frame.ts'
import { noContext, type RequestContext } from '../../src/run/request-context.ts'
import { UsageLedger } from '../../src/run/usage-ledger.ts'

/** The frame of a sub-agent "writer" that was asked from somewhere, on the first day of 2026. */
export function workingFrame(context: RequestContext = noContext): AgentFrame {
  const nothing = () => Promise.reject(new Error('This frame is for looking at only.'))
  const run = testRunScope({
    context,
    approvals: { open: nothing, withdraw: nothing },
    now: () => new Date('2026-01-01T12:00:00Z'),
    newMessageId: async () => idOf(isMessageId, 'message'),
    emit: nothing,
    save: nothing,
    keepFile: nothing,
  })
  return openFrame(run, {
    agent: { kind: 'sub', name: 'writer', displayName: 'The writer', depth: 1, path: ['master', 'writer'] },
    messageId: idOf(isMessageId, 'message'),
    mode: 'chat',
    model: undefined,
    allowedSubAgents: [],
    maxDepth: 3,
    ledger: new UsageLedger({}),
    signal: new AbortController().signal,
    toolKeys: () => [],
  })
}
