import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  inspector: 'Inspector',
  close: 'Close the inspector',
  scope: 'What to look at',
  wholeChat: 'The whole chat',
  answerOf: (name: string, question: string) => `${name}: ${question}`,
  log: 'Log',
  timeline: 'Timeline',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  zoomFit: 'Show everything',
  picture: (lanes: number, duration: string) => `What ${lanes} agents did in ${duration}`,
  kinds: { model: 'Model call', tool: 'Tool', 'sub-agent': 'Sub-agent', wait: 'Waits for a person' },
  step: (label: string) => `Step ${label}`,
  notEnded: 'has not ended',
  times: (count: number) => `${count} in a row`,
  firstToken: 'First token',
  firstText: 'First text',
  toTheEnd: 'End',
  running: 'running',
  tokensByAgent: 'Tokens by agent',
  tokensByModel: 'Tokens by model',
  timeByStep: 'Time by step',
  tokens: (input: number, output: number) =>
    `${input.toLocaleString('en')} in, ${output.toLocaleString('en')} out`,
  noUsage: 'No usage was reported for these answers yet.',
  firstSteps: (shown: number, all: number) => `The first ${shown} of ${all} steps.`,
  type: 'Type',
  agent: 'Agent',
  message: 'Message',
  allTypes: 'All types',
  allAgents: 'All agents',
  allMessages: 'All messages',
  person: 'Person',
  count: (shown: number, all: number, size: string) =>
    `${shown.toLocaleString('en')} of ${all.toLocaleString('en')} entries, ${size}`,
  loading: 'Reading the log…',
  lost: 'The connection is lost. Trying again…',
  trimmed: 'The beginning of this log is not kept any more, so it cannot be shown.',
  empty: 'This chat has no log yet.',
  noMatch: 'No entry fits these filters.',
  entries: 'Entries of the log',
  entry: (seq: number) => `Entry ${seq}`,
  chooseEntry: 'Choose an entry to see all of it.',
  cut: (kept: string, all: string) => `These are the first ${kept} of ${all} characters.`,
}

export type InspectorWords = typeof english

const chinese: InspectorWords = {
  inspector: '检查器',
  close: '关闭检查器',
  scope: '查看范围',
  wholeChat: '整个对话',
  answerOf: (name, question) => `${name}：${question}`,
  log: '日志',
  timeline: '时间线',
  zoomIn: '放大',
  zoomOut: '缩小',
  zoomFit: '显示全部',
  picture: (lanes, duration) => `${lanes} 个智能体在 ${duration} 内的活动`,
  kinds: { model: '模型调用', tool: '工具', 'sub-agent': '子智能体', wait: '等待用户' },
  step: label => `第 ${label} 步`,
  notEnded: '尚未结束',
  times: count => `连续 ${count} 次`,
  firstToken: '首个词元',
  firstText: '首段文字',
  toTheEnd: '结束',
  running: '运行中',
  tokensByAgent: '各智能体的词元',
  tokensByModel: '各模型的词元',
  timeByStep: '各步骤用时',
  tokens: (input, output) => `输入 ${input.toLocaleString('zh')}，输出 ${output.toLocaleString('zh')}`,
  noUsage: '这些回答还没有用量数据。',
  firstSteps: (shown, all) => `${all} 步中的前 ${shown} 步。`,
  type: '类型',
  agent: '智能体',
  message: '消息',
  allTypes: '全部类型',
  allAgents: '全部智能体',
  allMessages: '全部消息',
  person: '用户',
  count: (shown, all, size) =>
    `${all.toLocaleString('zh')} 条记录中的 ${shown.toLocaleString('zh')} 条，${size}`,
  loading: '正在读取日志…',
  lost: '连接已断开，正在重试…',
  trimmed: '此日志的开头部分已不再保留，无法显示。',
  empty: '此对话还没有日志。',
  noMatch: '没有符合筛选条件的记录。',
  entries: '日志记录',
  entry: seq => `记录 ${seq}`,
  chooseEntry: '选择一条记录以查看全部内容。',
  cut: (kept, all) => `这里只显示 ${all} 个字符中的前 ${kept} 个。`,
}

const wordsOf: Readonly<Record<Language, InspectorWords>> = { en: english, zh: chinese }

/** Returns the inspector's words. They are not among the words of the page, because the page loads without them. */
export function useInspectorWords(): InspectorWords {
  return wordsOf[useSettings().language]
}
