import type { Tool } from 'ai'
import type { Mode } from './mode.ts'

/** Makes a tool for one agent of one run. Whatever the tool needs to know it asks `currentFrame()` for. */
export interface ToolFactory {
  readonly key: string
  readonly description: string
  /** The modes in which the tool may be used; without it, all. */
  readonly modes?: readonly Mode[]
  /** Whether a person must approve a call: always, or as its input says. */
  readonly needsApproval?: boolean | ((input: unknown) => boolean)
  make(): Tool
}

export interface ToolSelection {
  /** The keys an agent asks for; `*` is all there are. */
  readonly keys: readonly string[]
  readonly mode: Mode
  /** What the caller has; a master has no caller. */
  readonly within?: ReadonlySet<string> | undefined
  /** What the user's policy allows; without it, all. */
  readonly permitted?: ReadonlySet<string> | undefined
}

/** The allow-list of tools: what is not registered here in code exists for no agent, whatever a database says. */
export class ToolFactoryRegistry {
  readonly #factories = new Map<string, ToolFactory>()

  constructor(factories: Iterable<ToolFactory>) {
    for (const factory of factories) {
      if (this.#factories.has(factory.key))
        throw new TypeError(`There are two tools "${factory.key}". Rename one of them.`)
      this.#factories.set(factory.key, factory)
    }
  }

  get factories(): readonly ToolFactory[] {
    return [...this.#factories.values()]
  }

  has(key: string): boolean {
    return this.#factories.has(key)
  }

  find(key: string): ToolFactory | undefined {
    return this.#factories.get(key)
  }

  /** The keys an agent really gets: its own list, within its caller's, in this mode, as far as the user may. */
  effectiveKeys({ keys, mode, within, permitted }: ToolSelection): ReadonlySet<string> {
    const asked = keys.includes('*') ? [...this.#factories.keys()] : keys
    return new Set(
      asked.filter(key => {
        const factory = this.#factories.get(key)
        if (factory === undefined) return false
        const isInMode = factory.modes === undefined || factory.modes.includes(mode)
        return isInMode && (within?.has(key) ?? true) && (permitted?.has(key) ?? true)
      }),
    )
  }
}

/** A tool that needs nothing but itself: the AI SDK's own `tool()`. */
export function toolFactory(
  key: string,
  tool: Tool,
  options: Pick<ToolFactory, 'modes' | 'needsApproval'> = {},
): ToolFactory {
  const { description } = tool
  if (tool.needsApproval !== undefined) {
    throw new TypeError(
      `The tool "${key}" has needsApproval of its own, which ends a run instead of waiting. Name it under "approvals" instead.`,
    )
  }
  return {
    key,
    description: typeof description === 'string' ? description : key,
    make: () => tool,
    ...options,
  }
}
