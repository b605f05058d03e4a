import { useCallback, useEffect, useRef, useState } from 'react'
import { type Definition, loadDefinition, saveDefinition } from '../agents-api.ts'
import { useAgentsWords } from '../agents-words.ts'
import { type AgentDraft, bodyOf, draftOf, isSameDraft } from './agent-draft.ts'
import { errorsInDraft } from './field-errors.ts'
import { keptForm, useKeptForm } from './kept-form.ts'
import { fieldProblem, type SaveProblem, saveProblem } from './save-problem.ts'

export interface AgentFormState {
  readonly draft: AgentDraft
  /** The definition as it was saved last; `undefined` for a new one. */
  readonly saved: Definition | undefined
  readonly isChanged: boolean
  readonly status: 'idle' | 'saving' | 'saved'
  /** Why it was not saved; `undefined` when nothing is wrong. */
  readonly problem: SaveProblem | undefined
  change(change: Partial<AgentDraft>): void
  save(): Promise<void>
  /** Goes back to what was saved last. */
  discard(): void
  /** Replaces everything by the version that the server has now. */
  loadNewest(): Promise<void>
}

interface Options {
  /** What a new definition begins with. */
  readonly initial: AgentDraft
  readonly definition: Definition | undefined
  readonly onSaved: (definition: Definition) => void
  /** Has the person asked before they leave: see `useRoute`. */
  readonly onLeave: (mayLeave: () => boolean) => () => void
}

/** Holds what a person writes about an agent, saves it, and keeps them from losing it. */
export function useAgentForm({ initial, definition, onSaved, onLeave }: Options): AgentFormState {
  const words = useAgentsWords()
  const [kept] = useState(keptForm)
  const [saved, setSaved] = useState(kept?.saved ?? definition)
  const [draft, setDraft] = useState(kept?.draft ?? initial)
  const [status, setStatus] = useState<AgentFormState['status']>('idle')
  const [problem, setProblem] = useState<SaveProblem>()
  const before = saved === undefined ? initial : draftOf(saved)
  const isChanged = !isSameDraft(draft, before)
  const unsaved = useLeaveQuestion(isChanged, words.confirmLeave, onLeave)
  // A new definition can be a copy. Then it is not changed, and the sign-in screen would lose it all the same.
  useKeptForm(isChanged || saved === undefined ? { draft, saved } : undefined)
  const latest = useRef(draft)
  latest.current = draft
  /** Shows a definition, unless the person has gone on writing since. */
  const show = (shown: Definition, since: AgentDraft) => {
    setSaved(shown)
    setProblem(undefined)
    if (!isSameDraft(latest.current, since)) return
    // The person may be taken to another page before the next rendering.
    unsaved.current = false
    setDraft(draftOf(shown))
  }
  return {
    draft,
    saved,
    isChanged,
    status,
    problem,
    change(change) {
      setStatus('idle')
      setDraft(known => ({ ...known, ...change }))
    },
    async save() {
      const errors = errorsInDraft(draft, words)
      if (Object.keys(errors).length > 0) return setProblem(fieldProblem(errors, words))
      setStatus('saving')
      const key = {
        name: draft.name,
        workspaceId: saved === undefined ? draft.workspaceId.trim() || undefined : saved.workspaceId,
      }
      const outcome = await saveDefinition(key, bodyOf(draft, saved))
      setStatus(outcome.status === 'saved' ? 'saved' : 'idle')
      if (outcome.status !== 'saved')
        return setProblem(saveProblem(outcome, { isNew: saved === undefined, words }))
      show(outcome.definition, draft)
      onSaved(outcome.definition)
    },
    discard() {
      unsaved.current = false
      setDraft(before)
      setProblem(undefined)
    },
    async loadNewest() {
      if (saved === undefined || (isChanged && !confirm(words.confirmNewest))) return
      try {
        show(await loadDefinition(saved), draft)
      } catch {
        setProblem({ errors: {}, text: words.newestFailed, hasNewer: true })
      }
    },
  }
}

/**
 * Asks before the person leaves what is not saved, by a link, by the back button, or by closing the page. Returns whether
 * there is anything to ask about. Setting it to false counts at once, before the next rendering.
 */
function useLeaveQuestion(
  isChanged: boolean,
  question: string,
  onLeave: Options['onLeave'],
): { current: boolean } {
  const unsaved = useRef(isChanged)
  unsaved.current = isChanged
  const mayLeave = useCallback(() => !unsaved.current || confirm(question), [question])
  useEffect(() => onLeave(mayLeave), [onLeave, mayLeave])
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (unsaved.current) event.preventDefault()
    }
    addEventListener('beforeunload', onUnload)
    return () => removeEventListener('beforeunload', onUnload)
  }, [])
  return unsaved
}
