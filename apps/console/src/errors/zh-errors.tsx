import type { ChatError } from '@throughline/client'
import type { ProblemCode } from '@throughline/protocol'

/** Says in Chinese what went wrong, and shows the server's own text as a detail. */
export function ChineseErrorText({ error }: { readonly error: Pick<ChatError, 'code' | 'message'> }) {
  const text = chineseError(error.code)
  return (
    <>
      {text}{' '}
      <span lang="en" className={text === undefined ? '' : 'text-xs opacity-80'}>
        {error.message}
      </span>
    </>
  )
}

/** The codes of errors that the client finds by itself. */
type ClientCode = 'agent-failed' | 'bad-data' | 'broken-stream' | 'http' | 'network'

const words: Readonly<Record<ProblemCode | ClientCode, string>> = {
  'invalid-tools': '请求中的工具无效。',
  tool_call_not_found: '没有这个工具调用。',
  tool_call_not_waiting: '这个工具调用不再等待结果。',
  'tool-name-taken': '工具名称与智能体自己的工具相同。',
  'agent-disabled': '此智能体已停用。',
  'agent-failed': '智能体出错了。',
  'agent-in-code': '此智能体由程序定义，不能在这里修改。',
  'agent-not-found': '没有这个智能体。',
  'answer-not-found': '没有这个回答。',
  'approval-not-found': '没有这个批准请求。',
  'approval-not-waiting': '这个批准请求已有结果。',
  'bad-data': '服务器返回的数据无法读取，请重试。',
  'body-too-complex': '发送的内容包含过多的值。',
  'body-too-deep': '发送的内容嵌套过深。',
  'body-too-large': '发送的内容过大。',
  'broken-stream': '数据流无法读取。',
  'channel-not-found': '没有这个渠道。',
  'chat-busy': '此对话正在回答，请稍后再试。',
  'chat-not-found': '没有这个对话。',
  'connection-not-found': '没有这个可以登录的服务。',
  'damaged-in-queue': '排队中的消息已损坏，请重新发送。',
  'data-damaged': '此对话的部分数据已损坏，无法读取。',
  'edited-arguments': '批准时不能修改参数。',
  'empty-message': '消息为空。',
  'event-stream-only': '此地址只提供事件流。',
  'file-not-found': '没有这个文件。',
  'file-too-large': '文件过大。',
  'file-type': '不支持这种文件。',
  'files-too-large': '这些文件合计过大。',
  'files-unavailable': '服务器暂时无法读取文件，请稍后再试。',
  'fixed-metadata': '这些信息不能由发送者设置。',
  'for-a-person': '这条消息发给真人，由本人回复。',
  'foreign-file': '不能使用其他网站的文件。',
  'foreign-origin': '不接受来自其他网站的请求。',
  'foreign-redirect': '登录后只能回到发出请求的页面。',
  'headers-too-large': '请求头过大。',
  http: '服务器返回了错误。',
  internal: '服务器出错了。',
  'invalid-body': '发送的内容格式不正确。',
  'invalid-days': '天数不正确。',
  'invalid-definition': '智能体的定义不正确。',
  'invalid-file': '文件无法读取。',
  'invalid-http': '请求无法读取。',
  'invalid-id': '标识的格式不正确。',
  'invalid-json': '发送的内容不是有效的 JSON。',
  'invalid-page': '页码不正确。',
  'invalid-request': '请求不正确。',
  'invalid-start-index': '起始位置不正确。',
  invalid_starting_after: '起始位置不正确。',
  'json-required': '请求必须使用 JSON。',
  'message-deleted': '这条消息已被删除。',
  'message-id-taken': '这条消息的标识已被使用。',
  'message-not-found': '没有这条消息。',
  model_not_found: '没有这个模型。',
  'name-taken': '这个名称已被使用。',
  network: '无法连接服务器，请检查网络。',
  'no-proxy': '服务器不转发其他网站的请求。',
  'no-upgrade': '服务器不支持切换协议。',
  'no-user-message': '没有可以回答的消息。',
  no_user_message: '没有可以回答的消息。',
  'nobody-to-answer': '没有人可以回答。',
  'not-a-user-message': '这不是用户的消息。',
  'not-in-a-channel': '此对话不在任何渠道中。',
  'not-waiting': '它已不在等待中。',
  'nothing-to-share': '还没有可以分享的消息。',
  'output-not-waiting': '这个调用已有结果，或不再等待。',
  'output-request-not-found': '没有这个等待结果的调用。',
  'output-too-large': '调用的结果过大。',
  'position-unknown': '这部分记录已不再保留，请重新加载。',
  'query-too-long': '搜索内容过长。',
  'queue-full': '排队的消息过多，请稍后再试。',
  'removed-from-queue': '这条消息已从队列中移除。',
  'request-timeout': '请求超时，请重试。',
  response_not_found: '没有这个回答。',
  'route-not-found': '服务器没有这个地址。',
  'run-not-found': '没有这次运行。',
  'session-not-found': '没有这个会话。',
  'share-not-found': '没有这个链接，或者对方已停止分享。',
  'server-busy': '服务器正忙，请稍后再试。',
  'too-slow': '服务器没有及时响应，请稍后再试。',
  'sharing-off': '此服务器已关闭分享功能。',
  'shutting-down': '服务器正在关闭，请稍后再试。',
  'sign-in-failed': '登录没有完成，请重新连接。',
  'sign-in-required': '请先登录。',
  'sign-in-timeout': '登录验证超时，请稍后再试。',
  'stale-version': '它已在别处被修改，请重新加载。',
  starting: '服务器正在启动，请稍后再试。',
  'store-full': '服务器磁盘已满，无法保存。',
  'store-gone': '服务器的数据已被移动或删除，无法保存。',
  'store-unavailable': '服务器暂时无法访问数据，请稍后再试。',
  'store-unwritable': '服务器无法写入数据，请稍后再试。',
  'stream-not-found': '没有这个数据流。',
  'ticket-not-valid': '访问凭证已失效。',
  'ticket-too-large': '登录信息过长，无法放入访问凭证。',
  'token-required': '需要有效的令牌。',
  'too-many-agents': '智能体过多。',
  'too-large-to-share': '此对话过长，无法分享。',
  'too-many-files': '文件过多。',
  'too-many-messages': '一次发送的消息过多。',
  'too-many-shares': '此对话的链接过多，请先停止分享其中一个。',
  'unknown-agent': '没有这个智能体。',
  'unknown-expectation': '服务器无法满足请求的要求。',
  'unknown-file': '没有这个文件。',
  'unknown-form': '不支持这种格式。',
  'unknown-message': '没有这条消息。',
  'model-not-offered': '此智能体的模型已不再提供，请为它选择其他模型。',
  'unknown-model': '不能选择这个模型。',
  'unsupported-form': '此处不支持这种格式。',
  'unsupported-position': '此处不支持从该位置继续。',
  unsupported_value: '不支持这个值。',
  'wrong-host': '服务器不使用这个域名。',
}

const known: ReadonlyMap<string, string> = new Map(Object.entries(words))

/** Returns what a code means, in Chinese; `undefined` for a code that this page does not know. */
function chineseError(code: string): string | undefined {
  return known.get(code)
}
