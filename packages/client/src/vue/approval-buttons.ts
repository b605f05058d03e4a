import { h, type VNode } from 'vue'
import type { ChatWords } from './chat-words.ts'
import type { AgentStream } from './use-agent-stream.ts'

interface ApprovalButtons {
  readonly approvalId: string
  readonly approve: AgentStream['approve']
  readonly words: ChatWords
}

/** Returns the two buttons with which a person approves or denies a tool call. */
export function approvalButtons({ approvalId, approve, words }: ApprovalButtons): VNode {
  const button = (name: 'approve' | 'deny') =>
    h(
      'button',
      { type: 'button', class: name, onClick: () => void approve(approvalId, name === 'approve') },
      words[name],
    )
  return h('div', { class: 'tool-approval' }, [button('approve'), button('deny')])
}
