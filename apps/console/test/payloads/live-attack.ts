import type { AgentEvent } from '@throughline/agents'
import { say } from '@throughline/testing/agent/scripted-agent'
import type { Payload } from './make-payloads.ts'

/** Returns what a hostile agent does while a page watches: everything comes in pieces, and some of it never ends. */
export function liveAttack(payloads: readonly Payload[]): readonly AgentEvent[] {
  return payloads.flatMap(({ number, text, address }): readonly AgentEvent[] => {
    const call = { toolCallId: `live-${number}`, toolName: text, title: text }
    const input = JSON.stringify({ html: text, url: address })
    const middle = Math.floor(text.length / 2)
    return [
      { type: 'ui-event', data: { type: 'open-url', url: address, title: text } },
      { type: 'ui-event', data: { type: text, url: address, html: text } },
      { type: 'reasoning-delta', text },
      { type: 'reasoning-end' },
      say(text.slice(0, middle)),
      say(text.slice(middle)),
      { type: 'text-end' },
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-delta', toolCallId: call.toolCallId, text: input.slice(0, middle + 9) },
      { type: 'tool-input-delta', toolCallId: call.toolCallId, text: input.slice(middle + 9) },
      { type: 'tool-call', ...call, input: { html: text, url: address } },
      { type: 'tool-progress', ...call, input: { html: text, url: address }, output: text },
      number % 2 === 0
        ? { type: 'tool-error', ...call, input: { html: text, url: address }, errorText: text }
        : { type: 'tool-result', ...call, input: { html: text, url: address }, output: { [text]: address } },
      {
        type: 'source',
        chunk: { type: 'source-url', sourceId: `live-${number}`, url: address, title: text },
      },
    ]
  })
}
