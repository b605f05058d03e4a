import type { Browser } from 'playwright-core'

export interface BrowserLease {
  readonly browser: Browser
  /** The last one to go closes the browser. */
  release(): Promise<void>
}

/** One browser process for everybody who needs one at the same time, and none when nobody does. */
export class SharedBrowser {
  readonly #launch: () => Promise<Browser>
  #browser: Promise<Browser> | undefined
  #leases = 0

  constructor(launch: () => Promise<Browser>) {
    this.#launch = launch
  }

  async acquire(): Promise<BrowserLease> {
    this.#leases += 1
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
    // One that crashed or never started is not handed out again.
    launched.then(browser => browser.once('disconnected', forget), forget)
    return launched
  }

  async #leave(): Promise<void> {
    this.#leases -= 1
    if (this.#leases > 0) return
    const launched = this.#browser
    this.#browser = undefined
    // A browser that cannot be closed has gone already.
    await launched?.then(browser => browser.close()).catch(() => undefined)
  }
}
