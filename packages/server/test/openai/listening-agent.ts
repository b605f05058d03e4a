import type { Agent } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'

/** Returns an agent that says how many messages it was given, and a list of their texts per run. */
export function listeningAgent(): { readonly agent: Agent; readonly given: readonly (readonly string[])[] } {
  const given: (readonly string[])[] = []
  const agent = scriptedAgent('assistant', ({ messages }) => {
    given.push(messages.map(textOf))
    return [say(`I heard ${messages.length}.`), finish]
  })
  return { agent, given }
}
