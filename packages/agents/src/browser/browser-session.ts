import type { BrowserContext } from 'playwright-core'
import type { AgentFrame } from '../run/agent-frame.ts'
import { BrowserGate, type GateOptions } from './browser-gate.ts'
import { BrowserTab } from './browser-tab.ts'
import type { SharedBrowser } from './shared-browser.ts'
import { allowWebSchemesOnly } from './web-schemes-only.ts'

/** The options of a browser session. `actionTimeoutMs` is the limit for one action, in milliseconds. */
export interface SessionOptions extends GateOptions {
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
  readonly #options: SessionOptions
  readonly #gate: BrowserGate
  readonly #opened: Promise<Opened>
  readonly #tabs = new Map<TabOwner['messageId'], Promise<BrowserTab>>()
  #closed: Promise<void> | undefined
  #isOpen = false

  constructor(options: SessionOptions) {
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
