import type { AgentItem } from '../chats/use-chats.ts'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly agents: readonly AgentItem[]
  /** The agent that answers next; `undefined` while the agents are not loaded. */
  readonly agent: AgentItem | undefined
  readonly onChoose: (name: string) => void
}

/** The agent that answers next and its model, in the header of a chat. Another agent can be chosen at any time. */
export function AgentNote({ agents, agent, onChoose }: Props) {
  const words = useWords()
  if (agent === undefined) return null
  return (
    <p className="-mb-1 flex min-w-0 items-center gap-1.5 text-sm leading-5 text-muted">
      {agents.length < 2 ? (
        <span className="truncate">{agent.displayName}</span>
      ) : (
        <select
          aria-label={words.chooseAgent}
          title={words.chooseAgent}
          value={agent.name}
          onChange={event => onChoose(event.target.value)}
          className="-ml-1 max-w-[60%] min-w-0 cursor-pointer truncate rounded hover:text-ink pointer-coarse:min-h-10 max-sm:text-base"
        >
          {agents.map(({ name, displayName }) => (
            <option key={name} value={name}>
              {displayName}
            </option>
          ))}
        </select>
      )}
      {agent.model !== undefined && <span className="truncate">· {agent.model}</span>}
    </p>
  )
}
