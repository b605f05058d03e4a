import type { ChatActions } from '@throughline/client'
import type { Message } from '@throughline/protocol'
import { createContext, useContext } from 'react'

/** The actions of a chat that a message, or a part of one, offers. */
export interface MessageActions
  extends Pick<
    ChatActions,
    | 'addToolOutput'
    | 'approve'
    | 'deleteMessage'
    | 'discard'
    | 'edit'
    | 'regenerate'
    | 'retry'
    | 'showVersion'
  > {
  /** Asks the agent of an answer to go on from where it stopped. */
  goOn(answer: Message): Promise<void>
  /** Opens the inspector for an answer. */
  inspect(messageId: string): void
  /** Puts a message that was not sent yet back into the field. */
  takeBack(messageId: string): void
}

const nothing = async () => undefined
const ActionsContext = createContext<MessageActions>({
  addToolOutput: nothing,
  approve: nothing,
  deleteMessage: nothing,
  discard: () => undefined,
  edit: nothing,
  goOn: nothing,
  inspect: () => undefined,
  regenerate: nothing,
  retry: nothing,
  showVersion: () => undefined,
  takeBack: () => undefined,
})

export const ChatActionsProvider = ActionsContext.Provider

export function useChatActions(): MessageActions {
  return useContext(ActionsContext)
}
