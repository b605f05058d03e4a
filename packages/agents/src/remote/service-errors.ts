import { shorten } from '@throughline/protocol/internal'
import { RemoteServiceError } from '../errors/agent-errors.ts'
import type { HideSecrets } from '../errors/hide-secrets.ts'

/** How much of the service's own words a person sees. */
const maxReportedChars = 500

const kept = 'What it said so far is kept; try again.'

/** Makes the errors of one service. Each names the service, and says what a person can do. */
export class ServiceErrors {
  readonly #service: string
  readonly #hideSecrets: HideSecrets

  /** `displayName` is the name of the agent. `hideSecrets` covers what was sent to the service in headers. */
  constructor(displayName: string, hideSecrets: HideSecrets) {
    this.#service = `The service of ${displayName}`
    this.#hideSecrets = hideSecrets
  }

  /** `systemCode` is for example `ECONNREFUSED`. */
  unreachable(systemCode: string | undefined): RemoteServiceError {
    const why = systemCode === undefined ? '' : ` (${systemCode})`
    return new RemoteServiceError(
      'unreachable',
      `${this.#service} cannot be reached${why}. Try again in a while.`,
    )
  }

  closed(): RemoteServiceError {
    return new RemoteServiceError(
      'closed',
      `${this.#service} closed the connection before it responded. Try again in a while.`,
    )
  }

  silent(silenceMs: number): RemoteServiceError {
    const seconds = `${Math.round(silenceMs / 100) / 10} s`
    return new RemoteServiceError('silent', `${this.#service} has sent nothing for ${seconds}. ${kept}`)
  }

  /** The body of such a response may contain anything, so only the status is shown. */
  status(status: number): RemoteServiceError {
    return new RemoteServiceError('status', `${this.#service} responded with status ${status}.`, status)
  }

  noStream(): RemoteServiceError {
    return new RemoteServiceError(
      'no-stream',
      `${this.#service} responded with something that is no event stream. Check its address and its form.`,
    )
  }

  cut(): RemoteServiceError {
    return new RemoteServiceError('cut', `${this.#service} ended in mid-answer. ${kept}`)
  }

  /** `problem` names types and fields, never values. */
  unreadable(problem: string): RemoteServiceError {
    return new RemoteServiceError(
      'unreadable',
      `${this.#service} sent something that cannot be read: ${problem}. What it said before is kept.`,
    )
  }

  /** `text` is what the service says about its own failure. */
  reported(text: string): RemoteServiceError {
    const shown = shorten(this.#hideSecrets(text), maxReportedChars)
    return new RemoteServiceError('reported', `${this.#service} reported an error: ${shown}`)
  }

  stopped(reason: string | undefined): RemoteServiceError {
    const why = reason === undefined ? '.' : `: ${shorten(this.#hideSecrets(reason), maxReportedChars)}`
    return new RemoteServiceError('stopped', `${this.#service} stopped the answer${why}`)
  }

  needsPerson(): RemoteServiceError {
    return new RemoteServiceError(
      'needs-person',
      `${this.#service} waits for the decision of a person, which can only be given on its own page.`,
    )
  }

  needsTools(toolNames: readonly string[]): RemoteServiceError {
    return new RemoteServiceError(
      'needs-tools',
      `${this.#service} wants its caller to run tools (${toolNames.join(', ')}). Let the service run its tools itself.`,
    )
  }
}
