import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  asks: (server: string) => `${server} asks you`,
  warning: 'What you send goes to this service. Send no passwords.',
  send: 'Send',
  decline: 'Decline',
}

type QuestionWords = typeof english

const chinese: QuestionWords = {
  asks: server => `${server} 的问题`,
  warning: '你填写的内容会发送给该服务，请勿填写密码。',
  send: '发送',
  decline: '谢绝',
}

const wordsOf: Readonly<Record<Language, QuestionWords>> = { en: english, zh: chinese }

/** Returns the words of the questions of MCP servers. They are loaded with the first question. */
export function useQuestionWords(): QuestionWords {
  return wordsOf[useSettings().language]
}
