import { createContext, useContext } from 'react'

/** What a part of a message can ask the chat to do. */
export interface ChatActions {
  decide(approvalId: string, approved: boolean): Promise<void>
}

const ChatActionsContext = createContext<ChatActions>({ decide: async () => undefined })

export const ChatActionsProvider = ChatActionsContext.Provider

export function useChatActions(): ChatActions {
  return useContext(ChatActionsContext)
}
