import type { SubAgent } from './sub-agent.ts'

/** Where sub-agents that are not in code come from. */
export interface SubAgentSource {
  find(name: string): Promise<SubAgent | undefined>
  list(): Promise<readonly SubAgent[]>
}

/** Finds sub-agents by name: those in code first, then those in the database. */
export class SubAgentRegistry {
  readonly #inCode: ReadonlyMap<string, SubAgent>
  readonly #source: SubAgentSource | undefined

  constructor(inCode: readonly SubAgent[], source?: SubAgentSource) {
    this.#inCode = new Map(inCode.map(agent => [agent.name, agent]))
    this.#source = source
  }

  async find(name: string): Promise<SubAgent | undefined> {
    return this.#inCode.get(name) ?? (await this.#source?.find(name))
  }

  /** Those that can be asked now. */
  async list(): Promise<readonly SubAgent[]> {
    const defined = (await this.#source?.list()) ?? []
    return [...this.#inCode.values(), ...defined.filter(({ name }) => !this.#inCode.has(name))].filter(
      agent => agent.isEnabled,
    )
  }
}
