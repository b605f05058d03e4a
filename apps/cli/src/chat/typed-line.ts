/** What a person wants with a line at the prompt. */
export type TypedLine =
  | { readonly type: 'nothing' }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'help' | 'new' | 'again' | 'stop' | 'quit' }
  | { readonly type: 'unknown'; readonly word: string }

/** The help text of the prompt. */
export const commandList = `/again       ask for another answer to the last message
/edit TEXT   send TEXT in place of the last message
/stop        stop the answer, like Ctrl-C
/new         begin a new chat
/help        this list
/quit        leave, like Ctrl-D; an answer goes on without you`

/** Reads a line. A slash and one word is a command. Anything else, such as a path, is a message. */
export function readTyped(line: string): TypedLine {
  const text = line.trim()
  if (text === '') return { type: 'nothing' }
  // A line that begins with a space is never a command.
  const [, word = '', rest = ''] = line.startsWith('/') ? (/^\/([a-z]+)(?:\s+(.*))?$/i.exec(text) ?? []) : []
  switch (word) {
    case '':
      return { type: 'say', text }
    case 'edit':
      return rest === '' ? { type: 'unknown', word: 'edit without a text' } : { type: 'edit', text: rest }
    case 'help':
    case 'new':
    case 'again':
    case 'stop':
    case 'quit':
      return { type: word }
    default:
      return { type: 'unknown', word }
  }
}
