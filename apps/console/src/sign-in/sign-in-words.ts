import type { SignInReason } from '../settings/access.ts'
import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

type Why = Readonly<Record<SignInReason, string>>

const titles: Why = {
  'token-needed': 'Sign in to see this',
  'token-refused': 'The token is not valid any more',
  application: 'You are not signed in',
  left: 'You have signed out',
}

const texts: Why = {
  'token-needed': 'This server asks for a token. Whoever runs it can give you one.',
  'token-refused':
    'The server does not know the token that this browser has kept. Enter a new one to go on where you were.',
  application: 'Sign in to the application that this page belongs to. Then load this page again.',
  left: 'This browser has forgotten your token, and what it had kept for you.',
}

const english = {
  titles,
  texts,
  token: 'Token',
  signIn: 'Sign in',
  checking: 'Checking…',
  wrong: 'Wrong token. Check that you have copied all of it.',
  unchecked: 'The server could not check the token. Try again in a moment.',
  reload: 'Load again',
}

export type SignInWords = typeof english

const chinese: SignInWords = {
  titles: {
    'token-needed': '请先登录',
    'token-refused': '令牌已失效',
    application: '你还没有登录',
    left: '你已退出登录',
  },
  texts: {
    'token-needed': '此服务器需要令牌。请向服务器的管理员索取。',
    'token-refused': '服务器不认识此浏览器保存的令牌。输入新的令牌，即可回到刚才的页面。',
    application: '请在此页面所属的应用中登录，然后重新加载此页面。',
    left: '此浏览器已清除你的令牌和为你保存的内容。',
  },
  token: '令牌',
  signIn: '登录',
  checking: '正在验证…',
  wrong: '令牌错误。请检查是否复制完整。',
  unchecked: '服务器暂时无法验证令牌，请稍后再试。',
  reload: '重新加载',
}

const wordsOf: Readonly<Record<Language, SignInWords>> = { en: english, zh: chinese }

/** Returns the words of the sign-in screen. They are loaded with it. */
export function useSignInWords(): SignInWords {
  return wordsOf[useSettings().language]
}
