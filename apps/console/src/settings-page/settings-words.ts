import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  theme: 'Appearance',
  themes: { light: 'Light', dark: 'Dark', system: 'As the system' },
  themeText: '“As the system” follows your computer or phone, also when it changes at night.',
  language: 'Language',
  notifications: 'Notifications',
  notificationsText: 'Tells you when an answer has ended or waits for you, while you look at something else.',
  notificationsDenied:
    'Your browser does not allow notifications for this page. You can change that in its settings.',
  connections: 'Connections',
  connectionsText: 'Services that agents use for you, with your own account there.',
  connectionStates: {
    'signed-out': 'Not connected',
    'signed-in': 'Connected',
    'needs-more': 'Connected, but it wants more rights: connect again',
  },
  connect: (name: string) => `Connect ${name}`,
  disconnect: (name: string) => `Disconnect ${name}`,
  nowConnected: (name: string) => `You are connected to ${name}.`,
  on: 'On',
  off: 'Off',
  account: 'Account',
  signOut: 'Sign out',
  signOutText:
    'This browser, with all its tabs, forgets your token and what it has kept for you, such as drafts. Your chats stay on the server.',
  browser: 'This browser',
  forget: 'Forget',
  forgetText:
    'Forgets what this browser has kept for you, such as drafts and what you have read. Your chats stay on the server.',
}

export type SettingsWords = typeof english

const chinese: SettingsWords = {
  theme: '外观',
  themes: { light: '浅色', dark: '深色', system: '跟随系统' },
  themeText: '“跟随系统”会与电脑或手机保持一致，夜间切换时也一样。',
  language: '语言',
  notifications: '通知',
  notificationsText: '当你在看别的内容时，回答结束或等待你确认都会提醒你。',
  notificationsDenied: '浏览器不允许此页面发送通知，可以在浏览器设置中更改。',
  connections: '连接',
  connectionsText: '智能体使用你自己的账户为你访问的服务。',
  connectionStates: {
    'signed-out': '未连接',
    'signed-in': '已连接',
    'needs-more': '已连接，但需要更多权限：请重新连接',
  },
  connect: name => `连接 ${name}`,
  disconnect: name => `断开 ${name}`,
  nowConnected: name => `已连接到 ${name}。`,
  on: '开',
  off: '关',
  account: '账户',
  signOut: '退出登录',
  signOutText: '此浏览器的所有标签页都会清除你的令牌和为你保存的内容（例如草稿）。对话仍保存在服务器上。',
  browser: '此浏览器',
  forget: '清除',
  forgetText: '清除此浏览器为你保存的内容，例如草稿和已读标记。对话仍保存在服务器上。',
}

const wordsOf: Readonly<Record<Language, SettingsWords>> = { en: english, zh: chinese }

/** Returns the words of the settings page. They are loaded with it. */
export function useSettingsWords(): SettingsWords {
  return wordsOf[useSettings().language]
}
