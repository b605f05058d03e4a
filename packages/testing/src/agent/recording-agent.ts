import type { Agent } from '@throughline/agents'
import { finish, type Script, say, scriptedAgent } from './scripted-agent.ts'

/** Returns an agent that records the ids of the messages it is given, one list per run. Run k plays script k. */
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
