import { fillSentence, readServerSentence, type SentenceCode } from '@throughline/protocol/internal'

/** Says a sentence of the server in Chinese. What somebody else has written stays as it is. */
export function ChineseSentence({ text }: { readonly text: string }) {
  const found = readServerSentence(text)
  return found === undefined ? text : fillSentence(chineseSentences[found.code], found.values)
}

/** What the server writes into answers, in Chinese. The values in braces are those of the English sentences. */
const chineseSentences: Readonly<Record<SentenceCode, string>> = {
  stopped: '已停止。',
  'stopped-by-user': '已由用户停止。',
  'stopped-by-message': '被新消息打断。',
  restarted: '服务器已重启。',
  'server-died': '此回答在生成过程中服务器已崩溃 {count} 次，因此被终止。',
  'restarted-without-progress': '服务器已重启，回答没有进展。',
  'restarted-agent-gone': '服务器已重启，在这里已无法再调用“{agent}”。',
  'restarted-agent-changed': '服务器已重启，“{agent}”的定义在其开始之后已更改。',
  'restarted-model-gone': '服务器已重启。模型“{model}”已无法选择，请选择其他模型并重新发送消息。',
  'shut-down': '服务器已关闭。',
  'run-over': '运行已结束。',
  'data-gone': '服务器的数据已被移动或删除，此回答未能保存。',
  'data-damaged': '重启后无法读取此回答：服务器的数据已损坏。请重新提问，或联系管理员。',
  'database-away': '服务器长时间无法连接数据库，此回答的后续内容未能保存。请重新发送消息。',
  'not-saved': '服务器无法保存此回答。',
  'limit-time': '回答用时过长。',
  'limit-tokens': '回答的令牌已用完。',
  'limit-output': '回答过长。',
  'limit-steps': '回答已达到步数上限。',
  'limit-length': '回答已达到模型的长度上限。',
  'agent-gone': '智能体“{agent}”已不存在。',
  'model-gone': '模型“{model}”已无法选择，请选择其他模型并重新发送消息。',
  'agent-slow': '{agent} 用时过长。',
  'no-reason': '模型未说明原因就结束了回答，请重试。',
  'provider-broke-off': '模型服务中断。已有内容已保留，请重试。',
  'provider-silent': '模型服务长时间没有响应。已有内容已保留，请重试。',
  'provider-lost': '与模型服务的连接中断。已有内容已保留，请重试。',
  'provider-key': '模型服务拒绝了服务器的密钥（{status}）。请检查服务器设置中的密钥。',
  'provider-model': '模型服务没有这个模型（404）。请检查 THROUGHLINE_MODEL。',
  'provider-busy': '模型服务繁忙，或配额已用完（429）。请稍后再试。',
  'provider-problem': '模型服务自身出现问题（{status}）。请稍后再试。',
  'provider-refused': '模型服务拒绝了请求（{status}）。',
  broken: '回答因错误中断。已有内容已保留，请重试。',
  'call-not-yielded': '智能体调用了工具“{tool}”，但没有先给出调用。已有内容已保留。',
  unreadable: '智能体发送了无法显示的内容：{problem}。此前的内容已保留。',
  'guardrail-question': '智能体的防护规则拒绝了这条消息，请换一种问法。',
  'guardrail-answer': '智能体的防护规则拒绝了这个回答。',
  'guardrail-tool': '智能体的防护规则拒绝了一次工具调用。',
  'input-incomplete': '输入未能完整到达。',
  'no-result': '工具没有返回结果。',
  'agent-at-work': '“{agent}”已在处理此任务（{path}），请自行完成。',
  'agent-too-deep': '任务最多只能转交 {count} 次，请自行完成。',
  'agent-not-allowed': '“{caller}”不能调用“{agent}”，只能调用：{allowed}。',
  'agent-unknown': '没有智能体“{agent}”。',
  'agents-used-up': '本次回答不能再调用更多智能体，请利用已有的结果。',
  'agent-not-begun': '智能体开始之前服务器已重启，可以再次调用。',
  'agent-cut': '智能体工作期间服务器已重启。已有内容见摘要；最后几次工具调用是否生效尚不清楚。',
  'nobody-to-ask': '“{caller}”不能调用其他智能体，请自行完成。',
}
