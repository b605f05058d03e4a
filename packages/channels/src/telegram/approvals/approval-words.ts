import type { ApprovalOutcome, DecisionResult } from '../../channel.ts'

export type TelegramLanguage = 'en' | 'zh'

/** What people are told about tool calls that wait for them. */
export interface ApprovalWords {
  /** Somebody who reads this may decide. */
  readonly waits: string
  /** Nobody who reads this may decide. It is done on the page of the chat. */
  readonly waitsOnPage: string
  readonly approve: string
  readonly deny: string
  readonly outcome: (outcome: ApprovalOutcome) => string
  /** What is shown for a moment to the person who has pressed a button. */
  readonly results: Readonly<Record<DecisionResult, string>>
}

export const approvalWords: Readonly<Record<TelegramLanguage, ApprovalWords>> = {
  en: {
    waits: 'waits for approval.',
    waitsOnPage:
      'waits for approval. Nobody can approve it here: its owner decides on the page of this chat.',
    approve: 'Approve',
    deny: 'Deny',
    outcome: outcomeIn({ approved: 'approved', denied: 'denied', notApproved: 'not approved' }),
    results: {
      decided: 'Done.',
      'not-waiting': 'This was decided already.',
      'not-found': 'This does not wait any more.',
      'not-allowed': 'You may not decide this.',
    },
  },
  zh: {
    waits: '等待批准。',
    waitsOnPage: '等待批准。此处无人可以批准，由其所有者在该会话的网页上决定。',
    approve: '批准',
    deny: '拒绝',
    outcome: outcomeIn({ approved: '已批准', denied: '已拒绝', notApproved: '未批准' }),
    results: {
      decided: '已提交。',
      'not-waiting': '此前已作出决定。',
      'not-found': '该请求已不再等待。',
      'not-allowed': '你无权作出决定。',
    },
  },
}

function outcomeIn(words: {
  readonly approved: string
  readonly denied: string
  readonly notApproved: string
}) {
  return ({ approved, reason }: ApprovalOutcome): string => {
    if (approved) return `✅ ${words.approved}`
    // With a reason, perhaps nobody has decided: it took too long, or the run was stopped.
    return reason === undefined ? `❌ ${words.denied}` : `❌ ${words.notApproved}: ${reason}`
  }
}
