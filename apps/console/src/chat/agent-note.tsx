import type { AgentItem } from '../chats/use-chats.ts'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly agents: readonly AgentItem[]
  /** The agent that answers next; `undefined` while the agents are not loaded. */
  readonly agent: AgentItem | undefined
  readonly onChoose: (name: string) => void
  /** The model that answers next. `undefined` when there is no choice. */
  readonly model: string | undefined
  readonly onChooseModel: (name: string) => void
}

/** The agent that answers next and its model, in the header of a chat. Where there are others, they can be chosen. */
export function AgentNote({ agents, agent, onChoose, model, onChooseModel }: Props) {
  const words = useWords()
  if (agent === undefined) return null
  const { models = [] } = agent
  return (
    <p className="-mb-1 flex min-w-0 items-center gap-1.5 text-sm leading-5 text-muted">
      {agents.length < 2 ? (
        <span className="truncate">{agent.displayName}</span>
      ) : (
        <Menu label={words.chooseAgent} value={agent.name} onChoose={onChoose}>
          {agents.map(({ name, displayName }) => (
            <option key={name} value={name}>
              {displayName}
            </option>
          ))}
        </Menu>
      )}
      {model !== undefined ? (
        <Menu label={words.chooseModel} value={model} onChoose={onChooseModel}>
          {models.map(name => (
            <option key={name}>{name}</option>
          ))}
        </Menu>
      ) : (
        agent.model !== undefined && <span className="truncate">· {agent.model}</span>
      )}
    </p>
  )
}

interface MenuProps {
  readonly label: string
  readonly value: string
  readonly onChoose: (value: string) => void
  readonly children: readonly React.ReactNode[]
}

function Menu({ label, value, onChoose, children }: MenuProps) {
  return (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={event => onChoose(event.target.value)}
      className="-ml-1 field-sizing-content max-w-[60%] min-w-0 cursor-pointer truncate rounded hover:text-ink pointer-coarse:min-h-10 max-sm:text-base"
    >
      {children}
    </select>
  )
}
