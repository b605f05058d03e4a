/** What a client shows, as it changes. */
export class Screen<Shown> {
  #shown: Shown | undefined
  readonly #looks = new Set<() => void>()

  show(shown: Shown): void {
    this.#shown = shown
    for (const look of this.#looks) look()
  }

  /** Resolves with the first thing shown that is as asked for, which may be there already. */
  until(isAsAsked: (shown: Shown) => boolean): Promise<Shown> {
    const { promise, resolve, reject } = Promise.withResolvers<Shown>()
    const look = () => {
      try {
        if (this.#shown === undefined || !isAsAsked(this.#shown)) return
        resolve(this.#shown)
      } catch (error) {
        // The one who waits must hear of it, not the client that shows it.
        reject(error)
      }
      this.#looks.delete(look)
    }
    this.#looks.add(look)
    look()
    return promise
  }

  /** Resolves when the words are somewhere in it. */
  async shows(words: string): Promise<void> {
    await this.until(shown => JSON.stringify(shown).includes(words))
  }
}
