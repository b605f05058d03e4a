/** A command of the page that begins with what a person has typed. */
export interface Command {
  readonly name: 'new' | 'agent' | 'stop' | 'export' | 'export json' | 'inspect' | 'help'
  /** For `agent`: the agent's name. */
  readonly agent?: { readonly name: string; readonly displayName: string } | undefined
  /** What the field has when the command is completed. */
  readonly text: string
}

const names = ['new', 'agent', 'stop', 'export', 'export json', 'inspect', 'help'] as const

/**
 * Returns the commands that begin with a text. A text that begins none of them, such as `//` or `/etc/hosts`, is a message
 * like any other.
 */
export function commandsFor(
  text: string,
  agents: readonly NonNullable<Command['agent']>[],
): readonly Command[] {
  const [, typed] = /^\/([^\n]*)$/.exec(text) ?? []
  if (typed === undefined) return []
  const lower = typed.toLowerCase()
  const [, asked] = /^agent (.*)$/.exec(lower) ?? []
  if (asked !== undefined)
    return agents
      .filter(agent =>
        [agent.name, agent.displayName].some(each => each.toLowerCase().startsWith(asked.trim())),
      )
      .map(agent => ({ name: 'agent', agent, text: `/agent ${agent.name}` }))
  return names.filter(name => name.startsWith(lower)).map(name => ({ name, text: `/${name}` }))
}

/** What commands need. All others press a button of the page. */
export interface CommandActions {
  readonly chatId: string
  readonly agents: readonly { readonly name: string; readonly displayName: string }[]
  chooseAgent(name: string): void
}

/** Takes a key before the field does. Returns whether it did. */
export type OnKey = (event: { readonly key: string; readonly shiftKey: boolean }) => boolean
