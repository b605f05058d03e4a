/** How a call goes wrong: the process dies, or only the call fails. Either before the call had an effect, or after. */
export type Fault = 'dies before' | 'dies after' | 'fails before' | 'fails after'

/** A process that may die at every call it makes. After that its calls have no effect and never return. */
export class Mortal {
  readonly #faults: ReadonlyMap<number, Fault>
  #calls = 0
  isDead = false

  /** `faults`: by the number of the call, from 0. */
  constructor(faults: ReadonlyMap<number, Fault> = new Map()) {
    this.#faults = faults
  }

  async call<Result>(effect: () => Result | Promise<Result>): Promise<Result> {
    if (this.isDead) return forever()
    const fault = this.#faults.get(this.#calls)
    this.#calls += 1
    if (fault === 'dies before') return this.#die()
    if (fault === 'fails before') throw new Error('The store is not there.')
    const result = await effect()
    if (this.isDead) return forever()
    if (fault === 'dies after') return this.#die()
    if (fault === 'fails after') throw new Error('The store did not answer.')
    return result
  }

  #die(): Promise<never> {
    this.isDead = true
    return forever()
  }
}

function forever(): Promise<never> {
  return new Promise(() => {})
}
