import type { DefinitionBody } from '@throughline/protocol/internal'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { loadDefinition, type SaveOutcome, saveDefinition } from '../../../agents/agents-api.ts'
import { onAccess } from '../../../server/access.ts'
import type { AgentsWords } from '../../../words/other-pages/en.ts'
import { useOtherPagesWords } from '../../../words/other-pages/use-other-pages-words.ts'
import { type AgentDraft, definitionBody, draftOf, isSameDraft } from './agent-draft.ts'
import { errorsFrom, errorsInDraft, type FieldErrors } from './field-errors.ts'

export interface AgentFormState {
  readonly draft: AgentDraft
  /** The definition as it was saved last; `undefined` for a new one. */
  readonly saved: DefinitionBody | undefined
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
  readonly definition: DefinitionBody | undefined
  readonly onSaved: (definition: DefinitionBody) => void
  /** Has the person asked before they leave: see `useRoute`. */
  readonly onLeave: (mayLeave: () => boolean) => () => void
}

/** Holds what a person writes about an agent, saves it, and keeps them from losing it. */
export function useAgentForm({ initial, definition, onSaved, onLeave }: Options): AgentFormState {
  const words = useOtherPagesWords().agents
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
  const show = (shown: DefinitionBody, since: AgentDraft) => {
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
      const outcome = await saveDefinition(key, definitionBody(draft, saved))
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

/** Why a definition was not saved. */
interface SaveProblem {
  /** What is wrong with single fields. */
  readonly errors: FieldErrors
  /** What is wrong with the definition as a whole. */
  readonly text: string
  /** Whether the server has a newer version. */
  readonly hasNewer: boolean
}

interface SaveContext {
  /** Whether the definition was to be made, and not changed. */
  readonly isNew: boolean
  readonly words: AgentsWords
}

/** Returns what to say about an outcome, beside its fields where that is possible. */
function saveProblem(
  outcome: Exclude<SaveOutcome, { readonly status: 'saved' }>,
  { isNew, words }: SaveContext,
): SaveProblem {
  if (outcome.status === 'refused') return fieldProblem(errorsFrom(outcome.refusals, words), words)
  const { code, message } = outcome
  // A new definition names no version. So the server refuses it when there is one of its name.
  const isNameTaken = code === 'name-taken' || (code === 'stale-version' && isNew)
  if (isNameTaken) return fieldProblem({ name: words.nameTaken }, words)
  return {
    errors: {},
    text: textFor(code, words) ?? words.failed(message),
    hasNewer: code === 'stale-version',
  }
}

/** Returns the problem of a definition with wrong fields. */
function fieldProblem(errors: FieldErrors, words: AgentsWords): SaveProblem {
  return { errors, text: words.notSaved, hasNewer: false }
}

function textFor(code: string, words: AgentsWords): string | undefined {
  switch (code) {
    case 'stale-version':
      return words.stale
    case 'agent-not-found':
      return words.goneNow
    case 'too-many-agents':
      return words.tooMany
    case 'network':
      return words.away
    default:
      return undefined
  }
}

/** What a person has written into a form, and the definition that they have changed with it. */
interface KeptForm {
  readonly draft: AgentDraft
  /** `undefined` for a new definition. */
  readonly saved?: DefinitionBody | undefined
}

/** Returns what was kept for the form at this address, while the person had to sign in again. */
function keptForm(): KeptForm | undefined {
  const kept = sessionStorage.getItem(keyOfForm())
  return kept === null ? undefined : JSON.parse(kept)
}

/**
 * Keeps a form in this tab when the sign-in screen takes the place of the page, which would lose it. Not when the person
 * signs out: then nothing of them stays in the browser. `form` is `undefined` when nothing would be lost.
 */
function useKeptForm(form: KeptForm | undefined): void {
  const latest = useEffectEvent(() => form)
  useEffect(() => {
    const key = keyOfForm()
    // The form shows it again, so it is not needed any more.
    sessionStorage.removeItem(key)
    return onAccess(event => {
      const kept = latest()
      if (event.type === 'refused' && event.reason !== 'left' && kept !== undefined)
        sessionStorage.setItem(key, JSON.stringify(kept))
    })
  }, [])
}

function keyOfForm(): string {
  return `throughline.form ${location.pathname}`
}
