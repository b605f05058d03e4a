import { useSettings } from '../settings/settings.tsx'
import type { Language } from '../settings/words.ts'

const english = {
  usage: 'What you have used',
  period: 'Period',
  days: (count: number) => `${count} days`,
  measure: 'Measure',
  measures: { tokens: 'Tokens', cost: 'Money' },
  split: 'Split',
  splits: { model: 'By model', agent: 'By agent' },
  tokens: (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'token' : 'tokens'}`,
  unpriced: (count: number) =>
    `The price of ${count.toLocaleString('en')} ${count === 1 ? 'token' : 'tokens'} is not known. They are not in the money.`,
  inAll: (used: string) => `In all: ${used}`,
  nothingUsed: 'Nothing in this period.',
  chart: (what: string, from: string, to: string) => `${what} per day, from ${from} to ${to}`,
  utc: 'Days begin at midnight UTC.',
  other: 'Others',
  unnamedModel: 'Model not named',
  server: 'Server',
  version: 'Version',
  model: 'Model',
  modelOf: (agents: readonly string[]) => `Model · ${agents.join(', ')}`,
  store: 'Store',
  stores: {
    ok: 'works',
    full: 'the disk is full',
    unwritable: 'cannot be written',
    gone: 'the database file is gone',
    unreachable: 'the database does not respond',
    closed: 'closed, needs a restart',
  },
  nodeVersion: 'Node.js',
  database: 'Database',
  databaseSize: 'Size of the database',
  withFree: (size: string, free: string) => `${size} (of it free: ${free})`,
  walSize: 'Write-ahead log',
  up: 'Running for',
  duration: (days: number, hours: number, minutes: number) =>
    [days > 0 ? `${days} d` : '', days + hours > 0 ? `${hours} h` : '', `${minutes} min`]
      .filter(Boolean)
      .join(' '),
  runs: 'Answers being written',
  waiting: 'Messages in queues',
  viewers: 'Open streams',
  nodes: 'Nodes',
  thisNode: 'These numbers are of the node that has responded.',
  keys: 'Keys',
  keyIsSet: 'set',
  keyIsMissing: 'not set',
  forOperators: 'More about the server is shown to its operators.',
  failed: 'The server does not respond. Trying again…',
  loading: 'Loading…',
}

export type StatusWords = typeof english

const chinese: StatusWords = {
  usage: '你的用量',
  period: '时间段',
  days: count => `${count} 天`,
  measure: '单位',
  measures: { tokens: '词元', cost: '费用' },
  split: '分类',
  splits: { model: '按模型', agent: '按智能体' },
  tokens: count => `${count.toLocaleString('zh')} 个词元`,
  unpriced: count => `有 ${count.toLocaleString('zh')} 个词元的价格未知，未计入费用。`,
  inAll: used => `合计：${used}`,
  nothingUsed: '这段时间没有用量。',
  chart: (what, from, to) => `${from} 至 ${to} 每天的${what}`,
  utc: '每天从 UTC 零点开始计算。',
  other: '其他',
  unnamedModel: '未注明模型',
  server: '服务器',
  version: '版本',
  model: '模型',
  modelOf: agents => `模型 · ${agents.join('、')}`,
  store: '存储',
  stores: {
    ok: '正常',
    full: '磁盘已满',
    unwritable: '无法写入',
    gone: '数据库文件已丢失',
    unreachable: '数据库没有响应',
    closed: '已关闭，需要重启',
  },
  nodeVersion: 'Node.js',
  database: '数据库',
  databaseSize: '数据库大小',
  withFree: (size, free) => `${size}（其中空闲：${free}）`,
  walSize: '预写日志',
  up: '已运行',
  duration: (days, hours, minutes) =>
    [days > 0 ? `${days} 天` : '', days + hours > 0 ? `${hours} 小时` : '', `${minutes} 分钟`]
      .filter(Boolean)
      .join(' '),
  runs: '正在生成的回答',
  waiting: '排队的消息',
  viewers: '打开的数据流',
  nodes: '节点',
  thisNode: '以上数字来自作出响应的节点。',
  keys: '密钥',
  keyIsSet: '已设置',
  keyIsMissing: '未设置',
  forOperators: '服务器的更多信息仅对管理员显示。',
  failed: '服务器没有响应，正在重试…',
  loading: '正在加载…',
}

const wordsOf: Readonly<Record<Language, StatusWords>> = { en: english, zh: chinese }

/** Returns the words of the status page. They are loaded with it. */
export function useStatusWords(): StatusWords {
  return wordsOf[useSettings().language]
}
