import type { ReactNode } from 'react'
import type { Language } from '../settings/words.ts'

/** What the question about a misleading link says. Loaded with the question. */
export interface LinkWords {
  readonly title: string
  readonly otherHost: (claimed: ReactNode, host: ReactNode) => readonly ReactNode[]
  readonly userName: (host: ReactNode) => readonly ReactNode[]
  readonly lookAlike: (host: ReactNode) => readonly ReactNode[]
  readonly cancel: string
  readonly open: string
}

export const linkWordsOf: Readonly<Record<Language, LinkWords>> = {
  en: {
    title: 'This link is not what it seems',
    otherHost: (claimed, host) => ['This says ', claimed, ', but goes to ', host, '.'],
    userName: host => ['This goes to ', host, '. What stands before the @ is only a name.'],
    lookAlike: host => ['This goes to ', host, '. Its letters can look like those of another site.'],
    cancel: 'Cancel',
    open: 'Open anyway',
  },
  zh: {
    title: '这个链接可能有诈',
    otherHost: (claimed, host) => ['链接写的是 ', claimed, '，实际前往 ', host, '。'],
    userName: host => ['实际前往 ', host, '。@ 前面的部分只是用户名。'],
    lookAlike: host => ['实际前往 ', host, '。其中的字母可能与其他网站的相似。'],
    cancel: '取消',
    open: '仍要打开',
  },
}
