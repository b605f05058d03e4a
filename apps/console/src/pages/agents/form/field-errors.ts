import { isAgentName, isId } from '@throughline/protocol'

import type { DefinitionProblem } from '@throughline/protocol/internal'
import type { AgentsWords } from '../../../words/other-pages/en.ts'
import { type AgentDraft, idsIn, modelParams } from './agent-draft.ts'

/** What is wrong with each field, in the language of the page. The key is the name of the field on the wire. */
export type FieldErrors = Readonly<Record<string, string>>

/** Returns what the page itself can see is wrong with a draft. */
export function errorsInDraft(draft: AgentDraft, words: AgentsWords): FieldErrors {
  const errors: Record<string, string> = {}
  if (draft.name.trim() === '') errors['name'] = words.required
  else if (!isAgentName(draft.name.normalize('NFC'))) errors['name'] = words.badName
  if (draft.systemPrompt.trim() === '') errors['systemPrompt'] = words.required
  if (draft.workspaceId.trim() !== '' && !isId(draft.workspaceId.trim())) errors['workspaceId'] = words.badId
  if (!idsIn(draft.pageIds).every(id => isId(id))) errors['pageIds'] = words.badId
  return errors
}

/** Returns what the server has refused, by field. Of several errors of one field, the first one counts. */
export function errorsFrom(refusals: readonly DefinitionProblem[], words: AgentsWords): FieldErrors {
  return Object.fromEntries(
    refusals.toReversed().map(refusal => [refusal.field, refusalText(refusal, words)]),
  )
}

/** Returns a refusal of the server in the language of the page. */
export function refusalText(refusal: DefinitionProblem, words: AgentsWords): string {
  const { code, field, message } = refusal
  switch (code) {
    case 'unknown-variable': {
      const [, variable] = /\{\{(.*?)\}\}/.exec(message) ?? []
      return variable === undefined ? words.refusals[code] : words.noSuchVariable(variable)
    }
    case 'cycle': {
      const [way] = /[^\s:]+(?: → [^\s.]+)+/.exec(message) ?? []
      return way === undefined ? words.refusals[code] : words.circle(way)
    }
    case 'duplicate-name':
    case 'unknown-model':
    case 'too-many-tokens':
    case 'unknown-tool':
    case 'unknown-sub-agent':
      return words.refusals[code]
    default:
      return rangeText(field, words) ?? (field === 'name' ? words.badName : words.badValue)
  }
}

/** Returns the range of a number, when the field is one. */
function rangeText(field: string, words: AgentsWords): string | undefined {
  const range = ranges.get(field)
  return range && words.outOfRange(range.min, range.max)
}

interface Range {
  readonly min: number
  readonly max: number
}

const ranges: ReadonlyMap<string, Range> = new Map<string, Range>([
  ['maxSteps', { min: 1, max: 1_000 }],
  ['maxDepth', { min: 0, max: 100 }],
  ...Object.entries(modelParams).map(([key, range]) => [`model.params.${key}`, range] as const),
])
