import type { Browser } from 'playwright-core'

/** A browser that somebody uses. */
export interface BrowserUse {
  readonly browser: Browser
  /** Call it when the browser is no longer needed. The last call closes the browser. */
  release(): Promise<void>
}

/** One browser process that all runs share. It is launched when the first run needs it, and closed after the last one. */
export class SharedBrowser {
  readonly #launch: () => Promise<Browser>
  #browser: Promise<Browser> | undefined
  #uses = 0

  constructor(launch: () => Promise<Browser>) {
    this.#launch = launch
  }

  async acquire(): Promise<BrowserUse> {
    this.#uses += 1
    const launched = this.#browser ?? this.#launchNew()
    try {
      const browser = await launched
      let isReleased = false
      const release = async () => {
        if (isReleased) return
        isReleased = true
        await this.#leave()
      }
      return { browser, release }
    } catch (error) {
      await this.#leave()
      throw error
    }
  }

  #launchNew(): Promise<Browser> {
    const launched = this.#launch()
    this.#browser = launched
    const forget = () => {
      if (this.#browser === launched) this.#browser = undefined
    }
    // A browser that has crashed or did not start is not used again.
    launched.then(browser => browser.once('disconnected', forget), forget)
    return launched
  }

  async #leave(): Promise<void> {
    this.#uses -= 1
    if (this.#uses > 0) return
    const launched = this.#browser
    this.#browser = undefined
    // A browser that cannot be closed has ended already.
    await launched?.then(browser => browser.close()).catch(() => undefined)
  }
}
