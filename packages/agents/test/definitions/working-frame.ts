import { isMessageId } from '@throughline/protocol'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { idOf } from '@throughline/testing/log/id-of'
import { SubAgent } from '../../src/delegation/base-agent.ts'
import type { AgentFrame } from '../../src/run/agent-frame.ts'
import { openSubAgentFrame } from '../../src/run/open-frame.ts'
import { noContext, type RequestContext } from '../../src/run/request-context.ts'

/** The frame of a sub-agent "writer" that was asked from somewhere, on the first day of 2026. */
export function workingFrame(context: RequestContext = noContext): AgentFrame {
  const nothing = () => Promise.reject(new Error('This frame is for looking at only.'))
  const run = testRunScope({
    context,
    approvals: { open: nothing, attach: nothing, withdraw: nothing },
    outputs: { open: nothing, withdraw: nothing },
    now: () => new Date('2026-01-01T12:00:00Z'),
    newMessageId: async () => idOf(isMessageId, 'message'),
    emit: nothing,
    save: nothing,
    keepFile: nothing,
  })
  const master = testFrame({ run, agent: { name: 'master' } })
  const agent = new SubAgent({ name: 'writer', displayName: 'The writer', systemPrompt: 'Write.' })
  return openSubAgentFrame(master, agent, {
    messageId: idOf(isMessageId, 'message'),
    signal: master.signal,
    mode: 'chat',
    callPrefix: '1:',
    onChunk: () => undefined,
  })
}
