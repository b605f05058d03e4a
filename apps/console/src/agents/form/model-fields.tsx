import { useAgentsWords } from '../agents-words.ts'
import { type AgentDraft, modelParams } from './agent-draft.ts'
import { FieldGroup } from './field.tsx'
import type { FieldErrors } from './field-errors.ts'
import { NumberInput } from './number-input.tsx'
import { TextInput } from './text-input.tsx'

interface Props {
  readonly draft: AgentDraft
  readonly providers: readonly string[]
  readonly errors: FieldErrors
  readonly onChange: (change: Partial<AgentDraft>) => void
}

/** Which model an agent runs on, and with which settings. */
export function ModelFields({ draft, providers, errors, onChange }: Props) {
  const words = useAgentsWords()
  const { hasModel, provider, modelId, params } = draft
  const choice = (isOwn: boolean, label: string) => (
    <label className="flex min-h-10 cursor-pointer items-center gap-3">
      <input
        type="radio"
        name="agent-model"
        checked={hasModel === isOwn}
        onChange={() =>
          onChange({ hasModel: isOwn, ...(provider === '' ? { provider: providers[0] ?? '' } : {}) })
        }
        className="size-4 accent-accent"
      />
      {label}
    </label>
  )
  return (
    <FieldGroup label={words.model} error={errors['model']}>
      {choice(false, words.callersModel)}
      {choice(true, words.ownModel)}
      {hasModel && (
        <div className="mt-2 space-y-4 border-l-2 border-line pl-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextInput
              label={words.provider}
              value={provider}
              offers={providers}
              error={errors['model.provider']}
              onChange={value => onChange({ provider: value })}
            />
            <TextInput
              label={words.modelId}
              value={modelId}
              error={errors['model.modelId']}
              onChange={value => onChange({ modelId: value })}
            />
          </div>
          <details open={Object.keys(params).length > 0}>
            <summary className="cursor-pointer py-2 text-sm font-medium">{words.parameters}</summary>
            <p className="text-sm text-muted">{words.parametersHint}</p>
            <div className="mt-2 grid grid-cols-2 gap-4 sm:grid-cols-3">
              {Object.entries(modelParams).map(([key, range]) => (
                <NumberInput
                  key={key}
                  label={key}
                  value={params[key] ?? ''}
                  range={range}
                  error={errors[`model.params.${key}`]}
                  onChange={value => onChange({ params: { ...params, [key]: value } })}
                />
              ))}
            </div>
          </details>
        </div>
      )}
    </FieldGroup>
  )
}
