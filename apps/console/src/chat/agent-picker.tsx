import { useId } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly agents: readonly AgentItem[]
  readonly selected: AgentItem | undefined
  readonly onChoose: (name: string) => void
}

/** Lets the person choose who answers in a new chat. Shows nothing when there is no choice. */
export function AgentPicker({ agents, selected, onChoose }: Props) {
  const words = useWords()
  const group = useId()
  if (agents.length < 2) return null
  return (
    <fieldset className="mx-auto mt-8 max-w-xl text-left">
      <legend className="mx-auto mb-2 text-sm font-medium">{words.chooseAgent}</legend>
      <div className="-mx-1 grid max-h-72 gap-2 overflow-y-auto p-1 sm:grid-cols-2">
        {agents.map(agent => (
          <label
            key={agent.name}
            className="flex cursor-pointer gap-3 rounded-2xl border border-line bg-raised px-4 py-3 text-sm hover:border-accent has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={group}
              value={agent.name}
              checked={agent.name === selected?.name}
              onChange={() => onChoose(agent.name)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="block truncate font-medium">{agent.displayName}</span>
              <span title={agent.description} className="line-clamp-3 text-muted">
                {agent.description}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
