import type { Chat } from './create-chat.ts'

/** What a person can do in a chat. */
export type ChatActions = Pick<
  Chat,
  'send' | 'edit' | 'regenerate' | 'showVersion' | 'retry' | 'stop' | 'approve' | 'resume'
>

/** A chat's actions alone, for a binding that takes care of the rest. They are the same functions every time. */
export function actionsOf(chat: Chat): ChatActions {
  const { send, edit, regenerate, showVersion, retry, stop, approve, resume } = chat
  return { send, edit, regenerate, showVersion, retry, stop, approve, resume }
}
