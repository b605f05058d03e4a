/** One thing that the demo model does in a call. A script is a list of beats. */
export type DemoBeat =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly toolName: string
      readonly input: Readonly<Record<string, string>>
    }
  | { readonly type: 'source'; readonly url: string; readonly title: string }
  | { readonly type: 'failure'; readonly message: string }

export function textBeat(text: string): DemoBeat {
  return { type: 'text', text }
}
