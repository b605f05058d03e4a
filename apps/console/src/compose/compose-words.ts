import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  attachments: 'Files to send',
  removeFile: (name: string) => `Remove ${name}`,
  reading: 'reading…',
  'too-large': (limit: string) => `too large: at most ${limit}`,
  kind: 'cannot be sent: only pictures, PDF and text',
  'too-many': 'too many: at most 10 files, 20 MB together',
  empty: 'is empty',
  unreadable: 'cannot be read',
  notKept: 'These files cannot be kept: after a reload, add them again.',
  commands: 'Commands',
  new: 'Begin a new chat',
  agent: 'Choose who answers next',
  stop: 'Stop the answer',
  export: 'Save this chat as Markdown',
  'export json': 'Save this chat as JSON',
  inspect: 'Open the inspector',
  help: 'Show keyboard shortcuts and commands',
  exportFailed: 'The chat could not be saved. Is the server away?',
  waiting: 'Waiting for the end of the answer',
  sending: 'sending…',
  edit: 'Edit',
  editWaiting: 'Edit the message that waits',
  save: 'Save',
  cancel: 'Cancel',
  remove: 'Remove',
  answerNow: 'Stop the answer, and answer this now',
  gone: 'This message does not wait any more.',
  files: (count: number) => (count === 1 ? '1 file' : `${count} files`),
}

export type ComposeWords = typeof english

const chinese: ComposeWords = {
  attachments: '要发送的文件',
  removeFile: name => `移除 ${name}`,
  reading: '读取中…',
  'too-large': limit => `文件过大：最大 ${limit}`,
  kind: '无法发送：仅支持图片、PDF 和文本',
  'too-many': '文件过多：最多 10 个，合计 20 MB',
  empty: '是空文件',
  unreadable: '无法读取',
  notKept: '这些文件无法保留：刷新页面后需重新添加。',
  commands: '命令',
  new: '开始新对话',
  agent: '选择由谁来回答',
  stop: '停止回答',
  export: '将此对话存为 Markdown',
  'export json': '将此对话存为 JSON',
  inspect: '打开检查器',
  help: '显示键盘快捷键和命令',
  exportFailed: '无法保存对话。服务器是否已断开？',
  waiting: '等待当前回答结束',
  sending: '发送中…',
  edit: '编辑',
  editWaiting: '编辑等待中的消息',
  save: '保存',
  cancel: '取消',
  remove: '移除',
  answerNow: '停止当前回答，立即回答这条',
  gone: '这条消息已不在等待。',
  files: count => `${count} 个文件`,
}

const wordsOf: Readonly<Record<Language, ComposeWords>> = { en: english, zh: chinese }

/** Returns the words of this room. They are not among the words of the page, because the page loads without them. */
export function useComposeWords(): ComposeWords {
  return wordsOf[useSettings().language]
}
