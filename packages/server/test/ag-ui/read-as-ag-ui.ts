import { type AgentSubscriber, HttpAgent } from '@ag-ui/client'
import type { BaseEvent, Message } from '@ag-ui/core'

export interface AgUiReading {
  readonly events: readonly BaseEvent[]
  readonly messages: readonly Message[]
}

/** A stream of AG-UI events as AG-UI's own client reads it. Rejects what the client's own checks refuse. */
export async function readAsAgUi(bytes: Uint8Array): Promise<AgUiReading> {
  const events: BaseEvent[] = []
  const subscriber: AgentSubscriber = { onEvent: ({ event }) => void events.push(event) }
  const agent = new HttpAgent({
    url: 'http://127.0.0.1/ag-ui',
    fetch: async () =>
      new Response(Uint8Array.from(bytes), { headers: { 'content-type': 'text/event-stream' } }),
  })
  await agent.runAgent({}, subscriber)
  return { events, messages: agent.messages }
}
