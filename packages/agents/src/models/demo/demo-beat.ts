/** One thing the scripted model does in a call. A script is a list of them. */
export type DemoBeat =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly toolName: string
      readonly input: Readonly<Record<string, string>>
    }
  | { readonly type: 'failure'; readonly message: string }

export function textBeat(text: string): DemoBeat {
  return { type: 'text', text }
}
