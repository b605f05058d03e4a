import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  shortcuts: 'Keyboard shortcuts',
  close: 'Close',
  everywhere: 'On the page',
  writing: 'While you write',
  commands: 'Commands, at the start of a message',
  new: 'New chat',
  search: 'Search chats',
  previous: 'Previous chat',
  next: 'Next chat',
  inspect: 'Inspector',
  stop: 'Stop the answer',
  write: 'To the message field',
  help: 'This list',
  send: 'Send; wait if an answer is being written',
  line: 'New line',
  interrupt: 'Stop the answer, and send',
  edit: 'Edit your last message (in the empty field)',
  commandNew: 'Begin a new chat',
  commandAgent: 'Choose who answers next',
  commandStop: 'Stop the answer',
  commandExport: 'Save this chat as Markdown, or as JSON',
  commandInspect: 'Open the inspector',
  commandHelp: 'This list',
}

export type ShortcutWords = typeof english

const chinese: ShortcutWords = {
  shortcuts: '键盘快捷键',
  close: '关闭',
  everywhere: '在页面上',
  writing: '输入时',
  commands: '命令（写在消息开头）',
  new: '新对话',
  search: '搜索对话',
  previous: '上一个对话',
  next: '下一个对话',
  inspect: '检查器',
  stop: '停止回答',
  write: '跳到输入框',
  help: '显示此列表',
  send: '发送；正在回答时则排队等待',
  line: '换行',
  interrupt: '停止回答并发送',
  edit: '编辑上一条消息（输入框为空时）',
  commandNew: '开始新对话',
  commandAgent: '选择由谁来回答',
  commandStop: '停止回答',
  commandExport: '将此对话存为 Markdown 或 JSON',
  commandInspect: '打开检查器',
  commandHelp: '显示此列表',
}

const wordsOf: Readonly<Record<Language, ShortcutWords>> = { en: english, zh: chinese }

/** Returns the words of this room. They are not among the words of the page, because the page loads without them. */
export function useShortcutWords(): ShortcutWords {
  return wordsOf[useSettings().language]
}
