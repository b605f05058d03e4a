import type { Agent } from '../agent/agent.ts'
import type { SubAgentSource } from '../run/run-scope.ts'

/** Finds sub-agents by name: first those in code, then those of another source such as the database. */
export class SubAgentRegistry implements SubAgentSource {
  readonly #inCode: ReadonlyMap<string, Agent>
  readonly #source: SubAgentSource | undefined

  constructor(inCode: readonly Agent[], source?: SubAgentSource) {
    this.#inCode = new Map(inCode.map(agent => [agent.name, agent]))
    this.#source = source
  }

  async find(name: string): Promise<Agent | undefined> {
    return this.#inCode.get(name) ?? (await this.#source?.find(name))
  }

  /** Resolves to the agents that can be asked now. */
  async list(): Promise<readonly Agent[]> {
    const others = (await this.#source?.list()) ?? []
    return [...this.#inCode.values(), ...others.filter(({ name }) => !this.#inCode.has(name))].filter(
      ({ isEnabled = true }) => isEnabled,
    )
  }
}
