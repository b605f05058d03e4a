/** What commands need. All others press a button of the page. */
export interface CommandActions {
  readonly chatId: string
  readonly agents: readonly { readonly name: string; readonly displayName: string }[]
  chooseAgent(name: string): void
}

/** Takes a key before the field does. Returns whether it did. */
export type OnKey = (event: { readonly key: string; readonly shiftKey: boolean }) => boolean
