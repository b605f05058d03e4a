import type { DefinableModels } from '../agents-api.ts'
import { useAgentsWords } from '../agents-words.ts'
import { type AgentDraft, modelParams } from './agent-draft.ts'
import { Field, FieldGroup, inputLook } from './field.tsx'
import type { FieldErrors } from './field-errors.ts'
import { NumberInput } from './number-input.tsx'

interface Props {
  readonly draft: AgentDraft
  readonly definable: DefinableModels
  readonly errors: FieldErrors
  readonly onChange: (change: Partial<AgentDraft>) => void
}

/** Which model an agent runs on, and with which parameters. */
export function ModelFields({ draft, definable, errors, onChange }: Props) {
  const words = useAgentsWords()
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
function ModelChoice({ draft, definable, onChange }: Omit<Props, 'errors'>) {
  const words = useAgentsWords()
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

function Params({ draft: { params }, definable, errors, onChange }: Props) {
  const words = useAgentsWords()
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
