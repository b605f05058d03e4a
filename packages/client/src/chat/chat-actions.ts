import type { Chat } from './create-chat.ts'

/** What a person can do in a chat. */
export type ChatActions = Pick<
  Chat,
  | 'send'
  | 'edit'
  | 'regenerate'
  | 'showVersion'
  | 'retry'
  | 'discard'
  | 'stop'
  | 'approve'
  | 'addToolOutput'
  | 'resume'
  | 'deleteMessage'
  | 'moveMessage'
  | 'updateMetadata'
>

/** Returns the actions of a chat, for a framework binding to spread. The functions stay the same for one chat. */
export function actionsOf(chat: Chat): ChatActions {
  return chat
}
