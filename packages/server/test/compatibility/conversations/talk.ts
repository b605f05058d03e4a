import type { Screen } from '../screen.ts'
import type { Actions, ClientState } from './client-in-use.ts'
import type { Transcript } from './transcript.ts'

/** A client that can have a conversation. */
export interface Talker {
  /** Opens the client in a chat that does not exist yet. */
  open(place: Place): Promise<Talk>
  /** Opens the client again, as a page that is loaded once more. Without it the client cannot show what was said before. */
  openAgain?(place: Place): Promise<Talk>
}

export interface Place {
  /** Where the server is. */
  readonly url: string
  /** What the application itself keeps while its page is loaded again. */
  readonly kept: Map<string, string>
}

/** An open client. What it cannot do is not there. Disposing it closes its connections. */
export interface Talk extends Pick<Actions, 'send'>, Partial<Omit<Actions, 'send'>>, AsyncDisposable {
  readonly screen: Screen<TalkState>
}

/** What a client shows. */
export interface TalkState extends ClientState {
  readonly transcript: Transcript
}
