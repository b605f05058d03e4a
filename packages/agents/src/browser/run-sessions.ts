import { untilAborted } from '@throughline/protocol/internal'
import type { AgentFrame } from '../run/agent-frame.ts'
import type { RunScope } from '../run/run-scope.ts'
import { asBrowserError } from './browser-error.ts'
import { BrowserSession, type SessionOptions } from './browser-session.ts'
import type { BrowserTab } from './browser-tab.ts'

/** The browser sessions of runs. A session opens when its run first needs it, and closes when the run ends. */
export class RunSessions {
  readonly #options: SessionOptions
  readonly #sessions = new WeakMap<RunScope, BrowserSession>()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Does something in the tab of an agent. */
  async act<Result>(
    { run, messageId, signal }: Pick<AgentFrame, 'run' | 'messageId' | 'signal'>,
    work: (tab: BrowserTab) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    const opening = this.#sessionOf(run).tabOf({ messageId, signal })
    const tab = await untilAborted(opening, signal).catch(error => {
      throw signal.aborted ? signal.reason : asBrowserError(error)
    })
    return tab.act(work)
  }

  #sessionOf(run: RunScope): BrowserSession {
    const known = this.#sessions.get(run)
    if (known !== undefined && !known.isClosed) return known
    const session = new BrowserSession(this.#options)
    this.#sessions.set(run, session)
    run.onEnd(() => session.close())
    return session
  }
}
