import type { AgentFrame } from '../run/agent-frame.ts'
import { subAgentToolKey } from '../run/sub-agent-key.ts'

/** Returns what a model is told about the agents it may delegate to; an empty text when there are none. */
export async function delegationPrompt({
  run,
  toolKeys,
  allowedSubAgents,
  agent,
}: AgentFrame): Promise<string> {
  if (!toolKeys.has(subAgentToolKey)) return ''
  const known = await run.subAgents.list()
  const allowed = known.filter(
    ({ name }) =>
      (allowedSubAgents.includes('*') || allowedSubAgents.includes(name)) && !agent.path.includes(name),
  )
  if (allowed.length === 0) return ''
  const list = allowed
    .map(({ name, description = '' }) => (description === '' ? `- ${name}` : `- ${name}: ${description}`))
    .join('\n')
  return (
    `\n\nYou can hand tasks to these agents with the tool "${subAgentToolKey}":\n${list}\n` +
    'The user sees their work as they do it, so do not repeat it; build on it.'
  )
}
