import { type RefObject, useEffect, useRef } from 'react'
import type { AgentsOverview } from '../../../agents/agents-api.ts'
import { useSettings } from '../../../settings/settings.tsx'
import { useOtherPagesWords } from '../../../words/other-pages/use-other-pages-words.ts'
import { ModelFields, SubAgentChoice, ToolChoice } from './choice-fields.tsx'
import { Field, FieldGroup, inputLook, NumberInput, TextInput } from './field.tsx'
import { promptValues } from './prompt.ts'
import { PromptField } from './prompt-field.tsx'
import type { AgentFormState } from './use-agent-form.ts'

interface Props {
  readonly form: AgentFormState
  readonly overview: AgentsOverview
}

/** The fields of a definition, and below them the buttons that save it. */
export function AgentForm({ form, overview }: Props) {
  const { draft, problem, change } = form
  const errors = problem?.errors ?? {}
  const element = useShownProblem(problem)
  return (
    <form
      ref={element}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        form.save()
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-3xl space-y-7 px-4 py-6">
          <NameFields form={form} />
          <PromptField
            prompt={draft.systemPrompt}
            values={promptValues(overview.variables, { draft, workspaceId: draft.workspaceId })}
            error={errors['systemPrompt']}
            onChange={systemPrompt => change({ systemPrompt })}
          />
          <ToolChoice
            tools={overview.tools}
            chosen={draft.toolKeys}
            error={errors['toolKeys']}
            onChange={toolKeys => change({ toolKeys })}
          />
          <SubAgentChoice
            agents={overview.agents}
            own={draft.name}
            chosen={draft.allowedSubAgents}
            error={errors['allowedSubAgents']}
            onChange={allowedSubAgents => change({ allowedSubAgents })}
          />
          <ModelFields draft={draft} definable={overview.definable} errors={errors} onChange={change} />
          <PlaceFields form={form} />
          <LimitFields form={form} />
        </div>
      </div>
      <FormBar form={form} />
    </form>
  )
}

function NameFields({ form: { draft, saved, problem, change } }: { readonly form: AgentFormState }) {
  const words = useOtherPagesWords().agents
  const errors = problem?.errors ?? {}
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label={words.name}
          hint={saved === undefined ? words.nameHint : undefined}
          value={draft.name}
          isReadOnly={saved !== undefined}
          error={errors['name']}
          onChange={name => change({ name })}
        />
        <TextInput
          label={words.displayName}
          value={draft.displayName}
          placeholder={draft.name}
          error={errors['displayName']}
          onChange={displayName => change({ displayName })}
        />
      </div>
      <Field label={words.description} hint={words.descriptionHint} error={errors['description']}>
        {ids => (
          <textarea
            {...ids}
            rows={2}
            maxLength={1_000}
            value={draft.description}
            onChange={event => change({ description: event.target.value })}
            className={`${inputLook} block resize-y`}
          />
        )}
      </Field>
      <label className="flex min-h-10 cursor-pointer items-start gap-3">
        <input
          type="checkbox"
          checked={draft.isEnabled}
          onChange={event => change({ isEnabled: event.target.checked })}
          className="mt-1 size-4 shrink-0 accent-accent"
        />
        <span>
          <span className="block font-medium">{words.enabled}</span>
          <span className="text-sm text-muted">{words.enabledHint}</span>
        </span>
      </label>
    </>
  )
}

function PlaceFields({ form: { draft, saved, problem, change } }: { readonly form: AgentFormState }) {
  const words = useOtherPagesWords().agents
  const errors = problem?.errors ?? {}
  return (
    <FieldGroup label={words.place}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label={words.workspace}
          hint={words.workspaceHint}
          value={draft.workspaceId}
          isReadOnly={saved !== undefined}
          error={errors['workspaceId']}
          onChange={workspaceId => change({ workspaceId })}
        />
        <TextInput
          label={words.pages}
          hint={words.pagesHint}
          value={draft.pageIds}
          error={errors['pageIds']}
          onChange={pageIds => change({ pageIds })}
        />
      </div>
    </FieldGroup>
  )
}

function LimitFields({ form: { draft, problem, change } }: { readonly form: AgentFormState }) {
  const words = useOtherPagesWords().agents
  const errors = problem?.errors ?? {}
  return (
    <FieldGroup label={words.limits}>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput
          label={words.maxSteps}
          hint={words.maxStepsHint}
          value={draft.maxSteps}
          range={{ min: 1, max: 1_000, step: 1 }}
          error={errors['maxSteps']}
          onChange={maxSteps => change({ maxSteps })}
        />
        <NumberInput
          label={words.maxDepth}
          hint={words.maxDepthHint}
          value={draft.maxDepth}
          range={{ min: 0, max: 100, step: 1 }}
          error={errors['maxDepth']}
          onChange={maxDepth => change({ maxDepth })}
        />
      </div>
    </FieldGroup>
  )
}

/** Leads to the first field that is wrong. */
function useShownProblem(problem: AgentFormState['problem']): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem === undefined) return
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus({ preventScroll: true })
    form.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'center' })
  }, [problem])
  return form
}

/** The bar below the form: saves, takes back, and says what became of it. */
function FormBar({ form }: { readonly form: AgentFormState }) {
  const words = useOtherPagesWords().agents
  const { language } = useSettings()
  const { saved, isChanged, status, problem } = form
  const isSaving = status === 'saving'
  return (
    <div className="border-t border-line bg-panel px-4 py-2.5">
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-2">
        <button
          type="submit"
          disabled={isSaving || (saved !== undefined && !isChanged)}
          className="min-h-10 rounded-full bg-accent px-5 font-medium text-page disabled:opacity-35"
        >
          {isSaving ? words.saving : saved === undefined ? words.create : words.save}
        </button>
        {isChanged && saved !== undefined && (
          <button type="button" onClick={form.discard} className="min-h-10 text-sm text-muted hover:text-ink">
            {words.discard}
          </button>
        )}
        <p role="status" className="min-w-0 flex-1 text-sm">
          {problem !== undefined ? (
            <span className="text-danger">
              {problem.text}{' '}
              {problem.hasNewer && (
                <button type="button" onClick={form.loadNewest} className="underline underline-offset-2">
                  {words.loadNewest}
                </button>
              )}
            </span>
          ) : (
            status === 'saved' && !isChanged && <span className="text-accent">{words.saved}</span>
          )}
          {problem === undefined && saved !== undefined && (
            <span className="float-right text-muted">
              {words.version(saved.version, new Date(saved.updatedAt).toLocaleDateString(language))}
            </span>
          )}
        </p>
      </div>
    </div>
  )
}
