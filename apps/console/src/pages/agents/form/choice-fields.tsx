import type { DefinableModels, ToolBody } from '@throughline/protocol/internal'
import { type ReactNode, useState } from 'react'
import type { AgentInList } from '../../../agents/agents-api.ts'
import { Badge } from '../../../controls/badge.tsx'
import { useOtherPagesWords } from '../../../words/other-pages/use-other-pages-words.ts'
import { type AgentDraft, modelParams } from './agent-draft.ts'
import { Field, FieldGroup, inputLook, NumberInput } from './field.tsx'
import type { FieldErrors } from './field-errors.ts'

/** With more tools than this, there is a field to search in them. */
const manyTools = 8
/** An agent has this tool exactly when it may ask another agent. So nobody chooses it. */
const subAgentTool = 'subAgent'

interface ToolChoiceProps {
  readonly tools: readonly ToolBody[]
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

/** The tools that an agent may use. A tool that was chosen and is gone stays in the list, so that it can be removed. */
export function ToolChoice({ tools, chosen, error, onChange }: ToolChoiceProps) {
  const words = useOtherPagesWords().agents
  const [search, setSearch] = useState('')
  const gone = chosen.filter(key => key !== subAgentTool && !tools.some(tool => tool.key === key))
  const choices: readonly Choice[] = [
    ...gone.map(key => ({ value: key, label: key, badge: <Badge isBad text={words.goneTool} /> })),
    ...tools
      .filter(({ key }) => key !== subAgentTool)
      .map(({ key, description, needsApproval }) => ({
        value: key,
        label: key,
        text: description,
        badge: needsApproval ? <Badge text={words.asksFirst} /> : undefined,
      })),
  ]
  const wanted = search.trim().toLowerCase()
  const found = choices.filter(({ label, text = '' }) => `${label} ${text}`.toLowerCase().includes(wanted))
  return (
    <FieldGroup label={words.tools} hint={words.toolsHint} error={error}>
      {choices.length > manyTools && (
        <input
          type="search"
          aria-label={words.findTool}
          placeholder={words.findTool}
          value={search}
          onChange={event => setSearch(event.target.value)}
          className={`mb-2 ${inputLook}`}
        />
      )}
      {found.length === 0 ? (
        <p className="text-sm text-muted">{words.noToolFound}</p>
      ) : (
        <ChoiceList choices={found} chosen={chosen} onChange={onChange} />
      )}
    </FieldGroup>
  )
}

interface SubAgentChoiceProps {
  readonly agents: readonly AgentInList[]
  /** The name of the agent itself. It cannot ask itself. */
  readonly own: string
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

/** The agents that an agent may delegate to. One that does not exist yet stays in the list: it may be made later. */
export function SubAgentChoice({ agents, own, chosen, error, onChange }: SubAgentChoiceProps) {
  const words = useOtherPagesWords().agents
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

/** Something that can be chosen or not. */
interface Choice {
  readonly value: string
  readonly label: string
  readonly text?: string | undefined
  /** A word beside the label. */
  readonly badge?: ReactNode
}

interface ChoiceListProps {
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** A list in which any number of things can be chosen. */
function ChoiceList({ choices, chosen, onChange }: ChoiceListProps) {
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value])
  return (
    <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-xl border border-line bg-raised">
      {choices.map(({ value, label, text, badge }) => (
        <li key={value}>
          <label className="flex min-h-10 cursor-pointer items-start gap-3 px-3 py-2 hover:bg-panel">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <span data-text="" className="font-medium break-all">
                  {label}
                </span>
                {badge}
              </span>
              {text !== undefined && text !== '' && (
                <span data-text="" title={text} className="line-clamp-2 text-sm text-muted">
                  {text}
                </span>
              )}
            </span>
          </label>
        </li>
      ))}
    </ul>
  )
}

interface ModelFieldsProps {
  readonly draft: AgentDraft
  readonly definable: DefinableModels
  readonly errors: FieldErrors
  readonly onChange: (change: Partial<AgentDraft>) => void
}

/** Which model an agent runs on, and with which parameters. */
export function ModelFields({ draft, definable, errors, onChange }: ModelFieldsProps) {
  const words = useOtherPagesWords().agents
  const { hasModel } = draft
  const [first] = definable.models
  const choice = (isOwn: boolean, label: string) => (
    <label className="flex min-h-10 cursor-pointer items-center gap-3">
      <input
        type="radio"
        name="agent-model"
        checked={hasModel === isOwn}
        disabled={isOwn && !hasModel && first === undefined}
        onChange={() => onChange({ hasModel: isOwn, ...(draft.modelId === '' ? first : {}) })}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  )
  return (
    <FieldGroup
      label={words.model}
      hint={first === undefined ? words.noModels : undefined}
      error={errors['model']}
    >
      {choice(false, words.callersModel)}
      {choice(true, words.ownModel)}
      {hasModel && (
        <div className="mt-2 space-y-4 border-l-2 border-line pl-4">
          <ModelChoice draft={draft} definable={definable} onChange={onChange} />
          <Params draft={draft} definable={definable} errors={errors} onChange={onChange} />
        </div>
      )}
    </FieldGroup>
  )
}

/** The models that the server offers, and the one that the definition has, if it is none of them any more. */
function ModelChoice({ draft, definable, onChange }: Omit<ModelFieldsProps, 'errors'>) {
  const words = useOtherPagesWords().agents
  const { provider, modelId } = draft
  const offered = definable.models.map(nameOf)
  const chosen = nameOf({ provider, modelId })
  return (
    <Field label={words.model}>
      {ids => (
        <select
          {...ids}
          value={chosen}
          onChange={event => onChange(definable.models[offered.indexOf(event.target.value)] ?? {})}
          className={inputLook}
        >
          {!offered.includes(chosen) && (
            <option value={chosen} disabled>
              {words.notOffered(chosen)}
            </option>
          )}
          {offered.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function nameOf({ provider, modelId }: Pick<AgentDraft, 'provider' | 'modelId'>): string {
  return `${provider}:${modelId}`
}

function Params({ draft: { params }, definable, errors, onChange }: ModelFieldsProps) {
  const words = useOtherPagesWords().agents
  const most: Readonly<Record<string, number>> = { maxOutputTokens: definable.maxOutputTokens }
  return (
    <details open={Object.keys(params).length > 0}>
      <summary className="cursor-pointer py-2 text-sm font-medium">{words.parameters}</summary>
      <p className="text-sm text-muted">{words.parametersHint}</p>
      <div className="mt-2 grid grid-cols-2 gap-4 sm:grid-cols-3">
        {Object.entries(modelParams).map(([key, range]) => (
          <NumberInput
            key={key}
            label={key}
            value={params[key] ?? ''}
            range={{ ...range, max: Math.min(range.max, most[key] ?? range.max) }}
            error={errors[`model.params.${key}`]}
            onChange={value => onChange({ params: { ...params, [key]: value } })}
          />
        ))}
      </div>
    </details>
  )
}
