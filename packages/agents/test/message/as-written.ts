import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { ThinkTags } from '../../src/message/think-tags.ts'
import { noToolCalls } from '../../src/message/tool-calls.ts'

/** Returns the events of an agent as its message has them: thinking in the text is reasoning. */
export function asWritten(events: readonly AgentEvent[]) {
  const tags = new ThinkTags()
  return [...events, { type: 'response-done' as const }]
    .flatMap(event => tags.split(event, noToolCalls))
    .slice(0, -1)
}
