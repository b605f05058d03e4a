import type { Language } from '../settings/words.ts'

const english = {
  answerEnded: 'The answer is finished.',
  emptyAnswer: 'The agent ended without saying anything.',
  stopped: 'The answer was stopped.',
  interrupted: 'The answer was interrupted.',
  limit: 'The answer has reached a limit.',
  approvalNeeded: (tool: string) => `${tool} is waiting for your approval.`,
  toolFailed: (tool: string) => `${tool} has failed.`,
}

/** What is said to people who do not see the page. */
export type AnnouncerWords = typeof english

const chinese: AnnouncerWords = {
  answerEnded: '回答完毕。',
  emptyAnswer: '智能体没有作出任何回答就结束了。',
  stopped: '回答已停止。',
  interrupted: '回答已中断。',
  limit: '回答已达上限。',
  approvalNeeded: tool => `${tool} 正在等待你的批准。`,
  toolFailed: tool => `${tool} 失败了。`,
}

export const announcerWords: Readonly<Record<Language, AnnouncerWords>> = { en: english, zh: chinese }
