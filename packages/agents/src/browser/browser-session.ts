import { untilAborted } from '@throughline/protocol/internal'
import type { BrowserContext } from 'playwright-core'
import type { AgentFrame } from '../run/agent-frame.ts'
import type { RunScope } from '../run/run-scope.ts'
import { asBrowserError } from './browser-error.ts'
import { BrowserGate, type BrowserGateOptions } from './browser-gate.ts'
import { BrowserTab } from './browser-tab.ts'
import type { SharedBrowser } from './shared-browser.ts'

/** The options of a browser session. `actionTimeoutMs` is the limit for one action, in milliseconds. */
export interface BrowserSessionOptions extends BrowserGateOptions {
  readonly browser: SharedBrowser
  readonly actionTimeoutMs: number
}

/** The agent that uses a tab. */
export type TabOwner = Pick<AgentFrame, 'messageId' | 'signal'>

/** The size of a page, and so of a screenshot. */
export const viewport = { width: 1280, height: 800 } as const

const maxTabs = 8

interface Opened {
  readonly context: BrowserContext
  readonly release: () => Promise<void>
}

/**
 * The browser of one run. Its cookies and storage are empty at first, and are deleted at the end. It has its own gate to the
 * network. Each agent of the run has its own tab, so parallel agents do not disturb each other. Closes with its last tab.
 */
export class BrowserSession {
  readonly #options: BrowserSessionOptions
  readonly #gate: BrowserGate
  readonly #opened: Promise<Opened>
  readonly #tabs = new Map<TabOwner['messageId'], Promise<BrowserTab>>()
  #closed: Promise<void> | undefined
  #isOpen = false

  constructor(options: BrowserSessionOptions) {
    this.#options = options
    this.#gate = new BrowserGate(options)
    this.#opened = this.#open()
    // While nobody waits for a tab, this must not be an unhandled rejection.
    this.#opened.catch(() => this.close())
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  async tabOf(owner: TabOwner): Promise<BrowserTab> {
    const { messageId } = owner
    const tab = this.#tabs.get(messageId) ?? this.#openTab(owner)
    // The tab that was used last is the last one in the map.
    this.#tabs.delete(messageId)
    this.#tabs.set(messageId, tab)
    tab.catch(() => this.#forget(messageId, tab))
    if (this.#tabs.size > maxTabs) this.#closeOldest()
    return tab
  }

  #closeOldest(): void {
    const [first] = this.#tabs
    if (first === undefined) return
    const [messageId, tab] = first
    this.#forget(messageId, tab)
    tab.then(
      opened => opened.close(),
      () => undefined,
    )
  }

  // The agent may have another tab by now.
  #forget(messageId: TabOwner['messageId'], tab: Promise<BrowserTab> | undefined): void {
    if (this.#tabs.get(messageId) === tab) this.#tabs.delete(messageId)
  }

  /** Closes all connections at once. Resolves when the browser has closed its pages. Never rejects. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#gate.close()
    const letGo = this.#opened.then(
      async ({ context, release }) => {
        this.#gate.close()
        // The browser may have crashed.
        await context.close().catch(() => undefined)
        await release()
      },
      () => undefined,
    )
    // A browser that is still starting is closed after its start. This is not awaited, because a stop must be quick.
    if (this.#isOpen) await letGo
  }

  async #open(): Promise<Opened> {
    const { browser, release } = await this.#options.browser.acquire()
    try {
      const context = await browser.newContext({
        proxy: await this.#gate.open(),
        viewport,
        serviceWorkers: 'block',
        acceptDownloads: false,
      })
      await allowWebSchemesOnly(context)
      context.once('close', () => this.close())
      this.#isOpen = true
      return { context, release }
    } catch (error) {
      await release()
      throw error
    }
  }

  async #openTab({ messageId, signal }: TabOwner): Promise<BrowserTab> {
    const { context } = await this.#opened
    const page = await context.newPage()
    const mine = this.#tabs.get(messageId)
    return new BrowserTab(page, {
      gate: this.#gate,
      signal,
      actionTimeoutMs: this.#options.actionTimeoutMs,
      onClose: () => {
        this.#forget(messageId, mine)
        if (this.#tabs.size === 0) this.close()
      },
    })
  }
}

// The schemes of pages. `data:` and `blob:` addresses contain their contents, so they reach nothing else.
const webSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'data:', 'blob:', 'about:'])

/**
 * Lets the pages of a browser load only what is on the web: no `file:` address in any window, iframe or redirect. The gate
 * cannot see these, because reading a file makes no network request. The tools check addresses, too; this is the second
 * line of defence.
 */
async function allowWebSchemesOnly(context: Pick<BrowserContext, 'route'>): Promise<void> {
  await context.route(
    ({ protocol }) => !webSchemes.has(protocol),
    // The page may be closed by then.
    route => route.abort('blockedbyclient').catch(() => undefined),
  )
}

/** The browser sessions of runs. A session opens when its run first needs it, and closes when the run ends. */
export class RunSessions {
  readonly #options: BrowserSessionOptions
  readonly #sessions = new WeakMap<RunScope, BrowserSession>()

  constructor(options: BrowserSessionOptions) {
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
