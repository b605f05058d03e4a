import { useSettings } from '../../settings/settings.tsx'
import { useAgentsWords } from '../agents-words.ts'
import type { AgentFormState } from './use-agent-form.ts'

/** The bar below the form: saves, takes back, and says what became of it. */
export function FormBar({ form }: { readonly form: AgentFormState }) {
  const words = useAgentsWords()
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
