import type { Chat } from './create-chat.ts'

/** What a person can do in a chat. */
export type ChatActions = Pick<
  Chat,
  | 'send'
  | 'edit'
  | 'regenerate'
  | 'showVersion'
  | 'retry'
  | 'stop'
  | 'approve'
  | 'resume'
  | 'deleteMessage'
  | 'moveMessage'
  | 'updateMetadata'
>

/** A chat's actions, for a binding to spread. They are the same functions every time. */
export function actionsOf(chat: Chat): ChatActions {
  return chat
}
