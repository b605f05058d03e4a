import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  sharedOn: (date: string) => `Shared on ${date} · read-only copy`,
  startPage: 'Start page',
  person: 'Person',
  unknown: 'Nothing is shared here',
  unknownText: 'The link is mistyped, or its owner has stopped sharing.',
  failed: 'The chat could not be loaded',
  again: 'Try again',
}

type SharedWords = typeof english

const chinese: SharedWords = {
  sharedOn: date => `分享于 ${date} · 只读副本`,
  startPage: '首页',
  person: '用户',
  unknown: '这里没有分享的内容',
  unknownText: '链接有误，或者对方已停止分享。',
  failed: '无法加载此对话',
  again: '重试',
}

const wordsOf: Readonly<Record<Language, SharedWords>> = { en: english, zh: chinese }

/** Returns the words of this room. They are not among the words of the page, because the page loads without them. */
export function useSharedWords(): SharedWords {
  return wordsOf[useSettings().language]
}
