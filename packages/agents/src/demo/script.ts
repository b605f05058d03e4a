import { subAgentToolKey } from '../run/tool-factory-registry.ts'
import { longText } from './samples.ts'
import type { SeededRandom } from './seeded-random.ts'

/** One thing that the demo model does in a call. */
export type DemoAction =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly toolName: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly type: 'source'; readonly url: string; readonly title: string }
  | { readonly type: 'failure'; readonly message: string }

/** What stands in the place of placeholders. */
export type Values = Readonly<Record<string, string | number | undefined>>

/**
 * Returns the actions of a script: its texts, in the order in which they are said, separated by `|`. A text may also be
 * another action:
 * - `think: TEXT` for reasoning, and `fail: MESSAGE` for a model that breaks off,
 * - `long: WORDS` for a text of that many words,
 * - `call TOOL: JSON` for a tool call, and `ask AGENT: TASK` for one of the tool that delegates,
 * - `source URL: TITLE`.
 */
export function actionsInScript(script: string, values: Values, random: SeededRandom): readonly DemoAction[] {
  return script.split(' | ').map(text => actionOf(text, values, random))
}

function actionOf(text: string, values: Values, random: SeededRandom): DemoAction {
  const [, kind, name = '', rest = ''] =
    /^(think|fail|long|call|ask|source)(?: (\S+))?: (.*)$/s.exec(text) ?? []
  switch (kind) {
    case 'think':
      return { type: 'reasoning', text: fill(rest, values) }
    case 'fail':
      return { type: 'failure', message: rest }
    case 'long':
      return said(longText(Number(rest), random))
    case 'call':
      return { type: 'tool-call', toolName: name, input: inputOf(rest, values) }
    case 'ask':
      return { type: 'tool-call', toolName: subAgentToolKey, input: { name, task: fill(rest, values) } }
    case 'source':
      return { type: 'source', url: name, title: rest }
    default:
      return said(fill(text, values))
  }
}

function inputOf(json: string, values: Values): Readonly<Record<string, unknown>> {
  return JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? fill(value, values) : value))
}

/** Returns the action that says a text. */
export function said(text: string): DemoAction {
  return { type: 'text', text }
}

/** Returns the rest of the actions, when the first words of their texts were said before. */
export function actionsAfter(actions: readonly DemoAction[], said: string): readonly DemoAction[] {
  const [action, ...rest] = actions
  if (action === undefined || said === '') return actions
  if (action.type === 'reasoning') return actionsAfter(rest, said)
  if (action.type !== 'text') return actions
  const { text } = action
  if (said.startsWith(text)) return actionsAfter(rest, said.slice(text.length))
  return text.startsWith(said) ? [{ ...action, text: text.slice(said.length) }, ...rest] : actions
}

/**
 * Replaces the placeholders of a text: `{city}` by the value of this name, `{city:Paris}` by `Paris` when there is no such
 * value, and `{count|call|# calls}` by one of the two words, for 1 and for other numbers. Other braces stay.
 */
export function fill(text: string, values: Values): string {
  return text.replace(placeholder, (whole, name: string, fallback?: string, one?: string, many?: string) => {
    const value = values[name]
    if (value === undefined) return fallback ?? whole
    const word = Number(value) === 1 ? one : many
    return word?.replace('#', String(value)) ?? String(value)
  })
}

const placeholder = /\{(\w+)(?::([^{}|]*)|\|([^{}|]*)\|([^{}|]*))?\}/g
