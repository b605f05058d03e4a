import type { Agent } from '@throughline/agents/agent'
import { finish, type Script, say, scriptedAgent } from './scripted-agent.ts'

/** An agent that keeps the ids of the messages it was given, one list per run; it does what the scripts say in turn. */
export function recordingAgent(
  scripts: readonly Script[] = [],
  name = 'assistant',
): { readonly agent: Agent; readonly given: readonly (readonly string[])[] } {
  const given: (readonly string[])[] = []
  const agent = scriptedAgent(name, request => {
    given.push(request.messages.map(({ id }) => id))
    const script = scripts[given.length - 1] ?? [say(`Answer ${given.length}.`), finish]
    return typeof script === 'function' ? script(request) : script
  })
  return { agent, given }
}
