import type { ChatActions } from '@throughline/client/chat-actions'
import { createContext, useContext } from 'react'

/** What a message, or a part of one, can ask the chat to do. */
export type MessageActions = Pick<
  ChatActions,
  'approve' | 'deleteMessage' | 'edit' | 'regenerate' | 'retry' | 'showVersion'
>

const nothing = async () => undefined
const ActionsContext = createContext<MessageActions>({
  approve: nothing,
  deleteMessage: nothing,
  edit: nothing,
  regenerate: nothing,
  retry: nothing,
  showVersion: () => undefined,
})
// Apart from the actions, which never change: what only acts is not drawn again when an answer begins or ends.
const ReadyContext = createContext(false)

export const ChatActionsProvider = ActionsContext.Provider
export const ReadyProvider = ReadyContext.Provider

export function useChatActions(): MessageActions {
  return useContext(ActionsContext)
}

/** Whether the chat would take a message now. */
export function useIsReady(): boolean {
  return useContext(ReadyContext)
}
