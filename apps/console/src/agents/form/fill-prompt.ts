/** A piece of a prompt whose variables are filled in. */
export type PromptPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'value'; readonly variable: string; readonly text: string }
  | { readonly type: 'unknown'; readonly variable: string }

/** Cuts a template into its texts and variables, with the values that an answer would have now. */
export function fillPrompt(
  template: string,
  values: Readonly<Record<string, string>>,
): readonly PromptPiece[] {
  const pieces: PromptPiece[] = []
  let end = 0
  for (const match of template.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const variable = (match[1] ?? '').trim()
    if (match.index > end) pieces.push({ type: 'text', text: template.slice(end, match.index) })
    const text = Object.hasOwn(values, variable) ? values[variable] : undefined
    pieces.push(text === undefined ? { type: 'unknown', variable } : { type: 'value', variable, text })
    end = match.index + match[0].length
  }
  if (end < template.length) pieces.push({ type: 'text', text: template.slice(end) })
  return pieces
}
