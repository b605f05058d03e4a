import type { ApprovalOutcome, DecisionResult } from '../../channel.ts'

export type TelegramLanguage = 'en' | 'zh'

/** What people are told about tool calls that wait for them. */
export interface ApprovalWords {
  /** The person who reads this may decide. */
  readonly waitsForYou: string
  /** Somebody must decide on the page of the chat. */
  readonly waitsOnPage: string
  readonly approve: string
  readonly deny: string
  readonly outcome: (outcome: ApprovalOutcome) => string
  /** What is shown for a moment to the person who has pressed a button. */
  readonly results: Readonly<Record<DecisionResult, string>>
}

export const approvalWords: Readonly<Record<TelegramLanguage, ApprovalWords>> = {
  en: {
    waitsForYou: 'waits for your approval.',
    waitsOnPage: 'waits for approval on the page of this chat.',
    approve: 'Approve',
    deny: 'Deny',
    outcome: outcomeIn({ approved: 'approved', denied: 'denied', notApproved: 'not approved' }),
    results: {
      decided: 'Done.',
      'not-waiting': 'This was decided already.',
      'not-found': 'This does not wait any more.',
      'not-allowed': 'Only the person who asked can decide this.',
    },
  },
  zh: {
    waitsForYou: '等待你的批准。',
    waitsOnPage: '等待在该会话的网页上批准。',
    approve: '批准',
    deny: '拒绝',
    outcome: outcomeIn({ approved: '已批准', denied: '已拒绝', notApproved: '未批准' }),
    results: {
      decided: '已提交。',
      'not-waiting': '此前已作出决定。',
      'not-found': '该请求已不再等待。',
      'not-allowed': '只有提问的人可以决定。',
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
