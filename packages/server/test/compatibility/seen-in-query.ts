import type { QueryEventOf } from '@throughline/protocol'
import { type FromAgent, type Item, outputFrom, type Seen, toldApart } from './seen.ts'

/** What a client of the event API tells that counts here, in the order in which it tells it. */
export type Told =
  | { readonly type: 'text'; readonly text: string }
  | QueryEventOf<'tool_call' | 'tool_result'>

/** Text strung together between calls, calls with their results, and whose they are by their names. */
export function seenInQuery(told: readonly Told[]): Omit<Seen, 'end'> {
  const items: FromAgent[] = []
  let text = ''
  const say = () => {
    items.push(...textOf(text).map(item => ({ name: undefined, item })))
    text = ''
  }
  for (const [index, each] of told.entries()) {
    if (each.type === 'text') text += each.text
    if (each.type !== 'tool_call') continue
    const [, name] = /^(.*): /.exec(each.display_name) ?? []
    if (name === undefined) say()
    items.push({ name, item: callOf(each, told.slice(index)) })
  }
  say()
  return toldApart(items)
}

/** A blank line before a segment keeps it apart from the one before. */
function textOf(text: string): readonly Item[] {
  const said = text.replace(/^\n\n/, '')
  return said === '' ? [] : [{ text: said }]
}

function callOf(
  { tool, args: input, tool_call_id }: QueryEventOf<'tool_call'>,
  later: readonly Told[],
): Item {
  const results = later
    .filter(each => each.type === 'tool_result')
    .filter(each => each.tool_call_id === tool_call_id)
  if (results.length > 1) throw new Error(`The call ${tool_call_id} has two results.`)
  const [result] = results
  if (result === undefined) return { tool, input, state: 'open', output: undefined }
  return { tool, input, state: result.is_error ? 'failed' : 'done', output: outputFrom(result.result) }
}
