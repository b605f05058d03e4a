/** How many chunks arrive between two animation frames. */
export const chunksPerFrame = 100

/** What is compared and drawn of a message part. */
export interface PartContent {
  readonly type: string
  readonly text?: string | undefined
  readonly input?: unknown
}

/** Reads what a page redraws in an animation frame: the whole text of the last part. So its text must be joined. */
export function draw(parts: readonly PartContent[] | undefined): void {
  // The result is used, because otherwise the JavaScript engine might skip the search.
  if (parts?.at(-1)?.text?.includes('\n')) throw new Error('The measured text has one line. Mend answers.ts.')
}
