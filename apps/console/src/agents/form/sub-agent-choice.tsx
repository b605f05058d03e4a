import { useAgentsWords } from '../agents-words.ts'
import { Badge } from '../badge.tsx'
import type { ListedAgent } from '../listed-agent.ts'
import { type Choice, ChoiceList } from './choice-list.tsx'
import { FieldGroup } from './field.tsx'

interface Props {
  readonly agents: readonly ListedAgent[]
  /** The name of the agent itself. It cannot ask itself. */
  readonly own: string
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

/** The agents that an agent may delegate to. One that does not exist yet stays in the list: it may be made later. */
export function SubAgentChoice({ agents, own, chosen, error, onChange }: Props) {
  const words = useAgentsWords()
  const others = agents.filter(({ name, isSubAgent }) => isSubAgent && name !== own)
  const missing = chosen.filter(name => !others.some(agent => agent.name === name))
  const choices: readonly Choice[] = [
    ...missing.map(name => ({ value: name, label: name, badge: <Badge isBad text={words.goneAgent} /> })),
    ...others.map(({ name, displayName, description, isEnabled }) => ({
      value: name,
      label: displayName,
      text: description,
      badge: isEnabled ? undefined : <Badge text={words.off} />,
    })),
  ]
  return (
    <FieldGroup label={words.subAgents} hint={words.subAgentsHint} error={error}>
      {choices.length === 0 ? (
        <p className="text-sm text-muted">{words.noSubAgents}</p>
      ) : (
        <ChoiceList choices={choices} chosen={chosen} onChange={onChange} />
      )}
    </FieldGroup>
  )
}
