import type { BrowserContext } from 'playwright-core'
import type { AgentFrame } from '../run/agent-frame.ts'
import { BrowserGate, type GateOptions } from './browser-gate.ts'
import { BrowserTab } from './browser-tab.ts'
import type { SharedBrowser } from './shared-browser.ts'
import { allowWebSchemesOnly } from './web-schemes-only.ts'

export interface SessionOptions extends GateOptions {
  readonly browser: SharedBrowser
  readonly actionTimeoutMs: number
}

/** Whose tab it is. */
export type TabOwner = Pick<AgentFrame, 'messageId' | 'signal'>

/** The size of a page, and so of a screenshot. */
export const viewport = { width: 1280, height: 800 } as const

const maxTabs = 8

interface Opened {
  readonly context: BrowserContext
  readonly release: () => Promise<void>
}

/**
 * The browser of one run: cookies and storage that begin empty and are gone with it, its own way out, and a tab for each
 * agent of the run, so that parallel ones do not pull the page from under each other. Closes with its last tab.
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
    // Whoever asks for a tab hears of it; without anybody it must not be an unhandled rejection.
    this.#opened.catch(() => this.close())
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  async tabOf(owner: TabOwner): Promise<BrowserTab> {
    const { messageId } = owner
    const tab = this.#tabs.get(messageId) ?? this.#openTab(owner)
    // The one used last is the last in the map.
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

  // Its owner may have another one by now.
  #forget(messageId: TabOwner['messageId'], tab: Promise<BrowserTab> | undefined): void {
    if (this.#tabs.get(messageId) === tab) this.#tabs.delete(messageId)
  }

  /** Connections are cut at once; resolves when the browser has let go of what it had. Never rejects. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#gate.close()
    const letGo = this.#opened.then(
      async ({ context, release }) => {
        this.#gate.close()
        // A browser that has crashed has no contexts left to close.
        await context.close().catch(() => undefined)
        await release()
      },
      () => undefined,
    )
    // One that is still starting is closed when it has started. Nobody waits for that: a stop must be quick.
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
