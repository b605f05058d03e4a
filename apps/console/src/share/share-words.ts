import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  share: (title: string) => `Share “${title}”`,
  close: 'Close',
  whoReads: 'Anyone with the link can read a copy of this chat as it is now, without signing in:',
  whatIsRead: [
    'all messages, and what the agents thought and did',
    'what their tools were given and returned',
    'attached files and pictures',
  ],
  whatIsNot:
    'What is written later is not in the copy. An answer that is still being written is left out. Of several versions, the newest is shown.',
  create: 'Create link',
  ready: 'The link is ready.',
  links: 'Links to this chat',
  link: (date: string) => `Link of ${date}`,
  made: (date: string, count: number) => `${date} · ${count} ${count === 1 ? 'message' : 'messages'}`,
  copy: 'Copy',
  copied: 'Copied',
  open: 'Open in a new tab',
  stop: 'Stop sharing',
  stopped: 'That link no longer works.',
}

export type ShareWords = typeof english

const chinese: ShareWords = {
  share: title => `分享“${title}”`,
  close: '关闭',
  whoReads: '任何拿到链接的人无需登录，即可阅读此对话当前内容的副本：',
  whatIsRead: ['所有消息，以及智能体的思考和操作', '工具的输入和结果', '附带的文件和图片'],
  whatIsNot: '之后的内容不会出现在副本中。尚未写完的回答不包含在内；有多个版本时，只显示最新的版本。',
  create: '创建链接',
  ready: '链接已创建。',
  links: '此对话的链接',
  link: date => `${date} 的链接`,
  made: (date, count) => `${date} · ${count} 条消息`,
  copy: '复制',
  copied: '已复制',
  open: '在新标签页中打开',
  stop: '停止分享',
  stopped: '该链接已失效。',
}

const wordsOf: Readonly<Record<Language, ShareWords>> = { en: english, zh: chinese }

/** Returns the words of this room. They are not among the words of the page, because the page loads without them. */
export function useShareWords(): ShareWords {
  return wordsOf[useSettings().language]
}
