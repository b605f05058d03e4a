import { defined, type KeysOf, unknownKey } from '@throughline/protocol/internal'
import { jsonSchema, type Tool, tool } from 'ai'
import { z } from 'zod'
import type { Mode } from './request-context.ts'
import { modesProblem, type ToolWithModes, toolProblem } from './tool-problem.ts'

/** The key of the tool with which agents delegate. It is also the tool's name for the model. */
export const subAgentToolKey = 'subAgent'

/** Whether a person must approve a call. A function decides by its input, and may take its time. */
export type ApprovalRule =
  | boolean
  | ((input: unknown, options: CallOptions) => boolean | PromiseLike<boolean>)

/** What a tool of the AI SDK is told about a call. */
type CallOptions = Parameters<NonNullable<Tool['execute']>>[1]

/** Makes a tool for one agent of one run. The tool gets what it needs to know from `currentFrame()`. */
export interface ToolFactory {
  /** The name by which agents call the tool. Unique. */
  readonly key: string
  /** What the tool does, for lists of tools. A model reads the description of the tool itself. */
  readonly description: string
  /** The modes in which the tool may be used; all by default. */
  readonly modes?: readonly Mode[]
  /** Whether a person must approve a call. A function decides by the input of the call; false by default. */
  readonly needsApproval?: ApprovalRule
  /**
   * Whether a call may be repeated: a second call with the same input, or with the same `toolContext().idempotencyKey`,
   * has no further effect. Only such a call is repeated when the server died while the tool worked. Default: false.
   */
  readonly idempotent?: boolean
  /** Makes the tool for one agent. */
  make(): Tool
}

/** Which tools an agent asks for, and what limits them. */
export interface ToolSelection {
  /** The keys that an agent asks for; `*` means all tools there are. */
  readonly keys: readonly string[]
  /** Tools that do not work in this mode are left out. */
  readonly mode: Mode
  /** The keys that the caller has. A master has no caller. */
  readonly within?: ReadonlySet<string> | undefined
  /** The keys that the user may use; all by default. */
  readonly permitted?: ReadonlySet<string> | undefined
}

/** The allow-list of tools. A tool that is not registered here does not exist, whatever a definition in the database says. */
export class ToolFactoryRegistry {
  readonly #factories = new Map<string, ToolFactory>()

  /** Throws a `TypeError` when two tools have one key, or a factory has an option that does not exist. */
  constructor(factories: Iterable<ToolFactory>) {
    for (const factory of factories) {
      refuse(factory.key, factoryProblem(factory))
      if (this.#factories.has(factory.key))
        throw new TypeError(`There are two tools "${factory.key}". Rename one of them.`)
      this.#factories.set(factory.key, factory)
    }
  }

  get factories(): readonly ToolFactory[] {
    return [...this.#factories.values()]
  }

  /** Returns whether there is a tool with this key. */
  has(key: string): boolean {
    return this.#factories.has(key)
  }

  /** Returns the factory with this key; `undefined` when there is none. */
  find(key: string): ToolFactory | undefined {
    return this.#factories.get(key)
  }

  /** Returns the keys that an agent gets: those it asks for, if its caller has them and mode and user allow them. */
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

/**
 * Makes a factory of a tool of the AI SDK. A tool without `execute` runs on the client's side: its calls wait until the
 * program that shows the chat sends their outputs. A `needsApproval` of the tool counts beside that of the options.
 *
 * Throws a `TypeError` when the tool or the options have something that does not exist, such as a misspelled mode.
 */
export function toolFactory(
  key: string,
  tool: ToolWithModes,
  options: Pick<ToolFactory, 'modes' | 'needsApproval' | 'idempotent'> = {},
): ToolFactory {
  refuse(key, toolProblem(tool) ?? factoryProblem(options))
  const { description, modes, needsApproval } = tool
  if (modes !== undefined && options.modes !== undefined)
    refuse(key, 'both the tool and the options have modes. Remove one of them.')
  return {
    key,
    description: typeof description === 'string' ? description : key,
    make: () => tool,
    ...defined({ needsApproval, modes }),
    ...options,
  }
}

/** Returns whether the calls of a tool wait for their outputs from the client's side. Providers run their own tools. */
export function runsOutside(tool: Tool): boolean {
  return tool.execute === undefined && tool.type !== 'provider'
}

/** Returns a sentence about what is wrong with a factory, or with the options of one; `undefined` when nothing is. */
function factoryProblem(factory: Partial<ToolFactory>): string | undefined {
  return unknownKey(factory, factoryKeys) ?? modesProblem(factory.modes)
}

const factoryKeys: KeysOf<ToolFactory> = {
  key: true,
  description: true,
  modes: true,
  needsApproval: true,
  idempotent: true,
  make: true,
}

function refuse(key: string, problem: string | undefined): void {
  if (problem !== undefined) throw new TypeError(`The tool "${key}": ${problem}`)
}

/** A tool that a request brings. The program that sends the request runs it. */
export const clientToolSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  /** A JSON schema of its input, which is an object. */
  inputSchema: z.record(z.string(), z.unknown()),
})
/** A tool that a request brings. */
export type ClientTool = Readonly<z.infer<typeof clientToolSchema>>

/** Makes a factory of a tool that a request brings. Its calls wait until the client sends their outputs. */
export function clientToolFactory({ name, description, inputSchema }: ClientTool): ToolFactory {
  return toolFactory(name, tool({ ...defined({ description }), inputSchema: jsonSchema(inputSchema) }))
}
