import type { Transcript } from './transcript.ts'

/** What a person can do in a client. Nothing waits for an answer: the test looks at what the client shows. */
export interface Actions {
  send(text: string): void
  /** Replaces a message of the person: the first one is number 0. */
  edit(number: number, text: string): void
  /** Asks for another answer to the last question. */
  regenerate(): void
  /** The client's own stop. For most clients that is to leave. */
  stop(): void
  /** Comes back after the connection broke. Without it, the client does so by itself, or never. */
  resume?(): void
  /** Decides on the call that waits for a person. */
  approve?(approved: boolean): void
}

/** A client as a person uses it, in this process or on a page. */
export interface ClientInUse {
  /** Opens the client, or opens it again as a page that is loaded once more. Resolves when it shows what there is. */
  load(): Promise<void>
  do<Name extends keyof Actions>(
    action: Name,
    ...words: Parameters<NonNullable<Actions[Name]>>
  ): Promise<void>
  can(action: keyof Actions): Promise<boolean>
  /** Resolves when the client shows these words somewhere. */
  shows(words: string): Promise<void>
  /** Resolves when the client waits for nothing more. */
  isIdle(): Promise<void>
  /** Resolves when the client is as asked for; `what` names that in an error. */
  until(isSo: (transcript: Transcript, state: ClientState) => boolean, what: string): Promise<void>
  transcript(): Promise<Transcript>
}

export interface ClientState {
  /** Whether the client waits for more. */
  readonly isBusy: boolean
}
