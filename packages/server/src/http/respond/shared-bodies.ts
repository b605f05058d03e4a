import type { Body } from './respond-with-bytes.ts'

interface Reading {
  readonly body: Promise<Body | undefined>
  readers: number
}

/**
 * The bodies that are being sent. All who read one at the same time share its bytes. So however many
 * they are, and however slow, one file or copy of a chat is in memory once.
 */
export class SharedBodies {
  readonly #readings = new Map<string, Reading>()

  /**
   * Returns a body, and `onSent`, which must be called when it is sent. Loads it, unless somebody reads it now. Returns
   * `undefined` when there is none.
   */
  async take(
    name: string,
    load: () => Promise<Body | undefined>,
  ): Promise<(Body & { readonly onSent: () => void }) | undefined> {
    const reading = this.#readings.get(name) ?? { body: load(), readers: 0 }
    this.#readings.set(name, reading)
    reading.readers += 1
    const onSent = () => {
      reading.readers -= 1
      if (reading.readers === 0) this.#readings.delete(name)
    }
    const body = await reading.body.catch(error => {
      onSent()
      throw error
    })
    if (body === undefined) onSent()
    return body && { ...body, onSent }
  }
}
