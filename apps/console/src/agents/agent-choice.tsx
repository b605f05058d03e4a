import { isAgentMessage } from '@throughline/client'
import type { Message } from '@throughline/protocol'
import { useId, useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import type { AgentItem } from './use-agents.ts'

/** Which agent answers next. */
export interface ChosenAgent {
  /** The agent that answers next; `undefined` while the agents are not loaded. */
  readonly agent: AgentItem | undefined
  /** The name to send with a message; `undefined` when the server decides. */
  readonly sent: string | undefined
  choose(name: string): void
}

/**
 * Returns the agent of a chat: the one that the person has chosen here, otherwise the one that answered last. So a chat
 * keeps its agent after a reload, and on every screen. Before the first answer it is the server's first agent.
 */
export function useAgentChoice(messages: readonly Message[], agents: readonly AgentItem[]): ChosenAgent {
  const [chosen, choose] = useState<string>()
  const last = lastName(messages, agents)
  const agent = agents.find(({ name }) => name === (chosen ?? last)) ?? agents[0]
  // With one agent there is nothing to say.
  return { agent, sent: agents.length === 1 ? undefined : (agent?.name ?? last), choose }
}

/**
 * Returns the name of the agent that answered last. Skips people who answered, and agents that the server has no more.
 * While the agents are not loaded, every agent counts: the person may already write.
 */
function lastName(messages: readonly Message[], agents: readonly AgentItem[]): string | undefined {
  const isKnown = (name: string) => agents.length === 0 || agents.some(agent => agent.name === name)
  const last = messages.findLast(message => {
    const { kind, name = '' } = message.metadata?.agent ?? {}
    return kind === 'master' && isAgentMessage(message) && isKnown(name)
  })
  return last?.metadata?.agent?.name
}

/** Which model answers next. */
export interface ChosenModel {
  /** The model that answers next, if there is a choice. */
  readonly model: string | undefined
  /** The name to send with a message; `undefined` when the agent uses its own model. */
  readonly sent: string | undefined
  choose(name: string): void
}

/**
 * Returns the model of a chat: the one that the person has chosen here, otherwise the one that they chose for their last
 * message. So a chat keeps its model after a reload, and on every screen. A new chat begins with the model that was chosen
 * last for this agent, in this browser.
 */
export function useModelChoice(messages: readonly Message[], agent: AgentItem | undefined): ChosenModel {
  const [chosen, setChosen] = useState<string>()
  const key = `throughline.model.${agent?.name}`
  const last = messages.findLast(({ role }) => role === 'user')
  const wanted = chosen ?? (last === undefined ? localStorage.getItem(key) : last.metadata?.chosenModel)
  // While the agents are not loaded, the person may already write.
  if (agent === undefined)
    return { model: undefined, sent: last && wanted ? wanted : undefined, choose: setChosen }
  const { models = [] } = agent
  const sent = models.find(name => name === wanted)
  return {
    model: sent ?? models[0],
    sent,
    choose(name) {
      setChosen(name)
      // The agent's own model may be another one tomorrow. A new chat then begins with that one.
      if (name === models[0]) localStorage.removeItem(key)
      else localStorage.setItem(key, name)
    },
  }
}

/**
 * Returns the name of the agent that is going to answer. While the list of agents is not loaded, returns the name of
 * the agent that answered last. Returns `undefined` when neither is known.
 */
export function expectedName(messages: readonly Message[], agent: AgentItem | undefined): string | undefined {
  if (agent !== undefined) return agent.displayName || agent.name
  const last = messages.findLast(({ metadata }) => metadata?.agent?.kind === 'master')
  return last?.metadata?.senderName
}

interface NoteProps {
  readonly agents: readonly AgentItem[]
  /** The agent that answers next; `undefined` while the agents are not loaded. */
  readonly agent: AgentItem | undefined
  readonly onChoose: (name: string) => void
  /** The model that answers next. `undefined` when there is no choice. */
  readonly model: string | undefined
  readonly onChooseModel: (name: string) => void
}

/** The agent that answers next and its model, in the header of a chat. Where there are others, they can be chosen. */
export function AgentNote({ agents, agent, onChoose, model, onChooseModel }: NoteProps) {
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

interface PickerProps {
  readonly agents: readonly AgentItem[]
  readonly selected: AgentItem | undefined
  readonly onChoose: (name: string) => void
}

/** Lets the person choose who answers in a new chat. Shows nothing when there is no choice. */
export function AgentPicker({ agents, selected, onChoose }: PickerProps) {
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
