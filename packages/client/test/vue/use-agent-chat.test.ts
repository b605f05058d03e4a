import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { createSSRApp, defineComponent, effectScope, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { useAgentChat } from '../../src/vue.ts'
import { textsOf } from '../chat/recorded-chat.ts'
import { turnUntil } from '../turn-until.ts'

test('a chat is followed as long as its component is there, and what a person can do works', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  const scope = effectScope()
  const { chat, send } = scope.run(() => useAgentChat({ chatId: 'chat', url: server.url })) ?? missing()
  expect(chat.value).toMatchObject({ messages: [], status: 'loading' })
  await send('Hello')
  await turnUntil(() => textsOf(chat.value.messages)[1] === 'Well, ')
  expect(chat.value.status).toBe('streaming')

  scope.stop()
  letGo()
  const again = effectScope()
  const { chat: reopened } = again.run(() => useAgentChat({ chatId: 'chat', url: server.url })) ?? missing()
  await turnUntil(() => reopened.value.status === 'ready')
  again.stop()
  expect(textsOf(reopened.value.messages)).toEqual(['Hello', 'Well, yes.'])
  expect(textsOf(chat.value.messages)).toEqual(['Hello', 'Well, '])
})

test('a page that is rendered on a server asks nobody', async () => {
  let asked = 0
  const fetch = async () => {
    asked += 1
    return Response.error()
  }
  const page = defineComponent(() => {
    const { chat } = useAgentChat({ chatId: 'chat', fetch })
    return () => h('p', chat.value.status)
  })
  expect(await renderToString(createSSRApp(page))).toBe('<p>loading</p>')
  expect(asked).toBe(0)
})

function missing(): never {
  throw new Error('The scope has ended.')
}
