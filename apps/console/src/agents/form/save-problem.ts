import type { SaveOutcome } from '../agents-api.ts'
import type { AgentsWords } from '../agents-words.ts'
import { errorsFrom, type FieldErrors } from './field-errors.ts'

/** Why a definition was not saved. */
export interface SaveProblem {
  /** What is wrong with single fields. */
  readonly errors: FieldErrors
  /** What is wrong with the definition as a whole. */
  readonly text: string
  /** Whether the server has a newer version. */
  readonly hasNewer: boolean
}

interface Surroundings {
  /** Whether the definition was to be made, and not changed. */
  readonly isNew: boolean
  readonly words: AgentsWords
}

/** Returns what to say about an outcome, beside its fields where that is possible. */
export function saveProblem(
  outcome: Exclude<SaveOutcome, { readonly status: 'saved' }>,
  { isNew, words }: Surroundings,
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
export function fieldProblem(errors: FieldErrors, words: AgentsWords): SaveProblem {
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
