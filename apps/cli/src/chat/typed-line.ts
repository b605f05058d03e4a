/** What a line at the prompt asks for. */
export type TypedLine =
  | { readonly type: 'nothing' }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'help' | 'new' | 'again' | 'stop' | 'quit' }
  | { readonly type: 'unknown'; readonly word: string }

export const commandList = `/again       ask for another answer to the last message
/edit TEXT   send TEXT in place of the last message
/stop        stop the answer, like Ctrl-C
/new         begin a new chat
/help        this list
/quit        leave, like Ctrl-D; an answer goes on without you`

/** A word with a slash before it is a command; what else looks like one, such as a path, is meant as text. */
export function readTyped(line: string): TypedLine {
  const text = line.trim()
  if (text === '') return { type: 'nothing' }
  // A blank before it says that it is none.
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
