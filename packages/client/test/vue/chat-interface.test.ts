// @vitest-environment happy-dom
import type { QueryEvent } from '@throughline/protocol'
import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { shallowRef } from 'vue'
import type { QueryStoreOptions } from '../../src/events/query-store.ts'
import { englishWords } from '../../src/vue.ts'
import { openChatPage } from '../chat/chat-page.ts'
import { heldLine } from '../chat/held-line.ts'
import { bytesOf, scriptedFetch, someCuts } from '../events/scripted-queries.ts'
import type { ScriptedAnswer } from '../scripted-responses.ts'
import { turnUntil } from '../turn-until.ts'

const timestamp = '2026-02-06T10:30:00.123Z'
const final = (content: string): QueryEvent => ({ type: 'final', content, timestamp })
const text = (delta: string) => `data: {"type":"text_delta","delta":"${delta}"}\n\n`
const weatherText = '你好，我查一下\n今天天气很好 👩‍👩‍👧 naïve'
const weatherLines = [
  ['user', '天气？'],
  ['system tool success', '调用工具: get_weather'],
  ['system', '工具结果: 北京今天晴天☀️，温度 25°C'],
  ['assistant', weatherText],
]

let log = vi.spyOn(console, 'error')
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  expect(log).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

describe('the conversation', () => {
  test('begins empty, with a line to write in, and asks nobody', () => {
    const { fetch, requests } = scriptedFetch([])
    using page = openChatPage({ options: { fetch } })
    expect(page.lines()).toEqual([])
    expect(page.input.placeholder).toBe('输入消息...')
    expect(page.button.textContent).toBe('发送')
    expect(requests).toEqual([])
  })

  test('is shown as lines, wherever the bytes are cut', async () => {
    for (const pieces of someCuts(bytesOf(weatherQuery))) {
      using page = openChatPage({ options: scriptedFetch([session(), { pieces }]) })
      await page.send('天气？')
      await page.untilReady()
      expect(page.lines()).toEqual(weatherLines)
      expect(page.streaming()).toBeUndefined()
      await page.until(() => page.find('.usage')?.textContent === '1234 tokens · $0.0025')
    }
  })

  test('goes on in the session that was made with its first message', async () => {
    const { fetch, requests } = scriptedFetch([session(), answer(final('One.')), answer(final('Two.'))])
    using page = openChatPage({ options: { fetch } })
    for (const message of ['First', 'Second']) {
      await page.send(message)
      await page.untilReady()
    }
    expect(requests.map(({ url, body }) => [url, body])).toMatchObject([
      ['/sessions', {}],
      ['/agent/query-stream-delta', { message: 'First', session_id: 'session-1', onBusy: 'interrupt' }],
      ['/agent/query-stream-delta', { message: 'Second', session_id: 'session-1', onBusy: 'interrupt' }],
    ])
    expect(page.lines()).toEqual([
      ['user', 'First'],
      ['assistant', 'One.'],
      ['user', 'Second'],
      ['assistant', 'Two.'],
    ])
  })

  test('shows an answer that is being written apart from the lines, under the tools it has used', async () => {
    const line = heldLine()
    using page = openChatPage({ options: { fetch: afterSession(line.fetch) } })
    await page.send('天气？')
    await line.write(text('Well, '))
    await page.until(() => page.streaming() === 'Well, ')
    expect(page.lines()).toEqual([['user', '天气？']])
    await line.write(
      weatherQuery
        .slice(3, 5)
        .map(event => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    )
    await line.write(text('yes'))
    await page.until(() => page.streaming() === 'Well, yes')
    expect(page.lines()).toEqual([
      ['user', '天气？'],
      ['system tool running', '调用工具: get_weather'],
    ])
    expect(page.find('.tool-status')?.textContent).toBe('运行中')
    expect(page.find('.tool-args')?.textContent).toBe('{"location":"北京"}')
    expect(page.find('.generating')?.textContent).toBe('正在生成...')
    expect(page.find('progress')?.getAttribute('max')).toBe('1')
    await line.write(encodeQuery([final('Well, yes.')]))
    await page.untilReady()
    expect(page.streaming()).toBeUndefined()
    expect(page.find('.generating')).toBeUndefined()
    expect(page.lines().at(-1)).toEqual(['assistant', 'Well, yes.'])
  })

  test('never shows a line twice, in no frame', async () => {
    const answers = ['One.', 'Two.', 'Three.'].map(content => answer(final(content)))
    using page = openChatPage({ options: scriptedFetch([session(), ...answers]) })
    const seen: (readonly string[])[] = []
    const observer = new MutationObserver(() => seen.push(page.lines().map(([, content]) => content ?? '')))
    observer.observe(page.element, { childList: true, subtree: true, characterData: true })
    for (const message of ['First', 'Second', 'Third']) {
      await page.send(message)
      await page.untilReady()
    }
    observer.disconnect()
    expect(seen.length).toBeGreaterThan(3)
    for (const lines of seen) expect(new Set(lines).size).toBe(lines.length)
  })
})

describe('the line to write in', () => {
  test.each(['', '   ', '\n'])('does not send %j', async message => {
    const { fetch, requests } = scriptedFetch([])
    using page = openChatPage({ options: { fetch } })
    await page.send(message)
    expect(page.lines()).toEqual([])
    expect(requests).toEqual([])
  })

  test('is emptied when it is sent, and closed until the answer has ended', async () => {
    const line = heldLine()
    const { fetch, requests } = scriptedFetch([session()])
    const options = {
      fetch: async (...given: Parameters<typeof fetch>) =>
        requests.length === 0 ? fetch(...given) : line.fetch(...given),
    }
    using page = openChatPage({ options })
    await page.send('First')
    expect([page.input.value, page.input.disabled, page.button.disabled]).toEqual(['', true, true])
    expect(page.button.textContent).toBe('生成中...')
    await page.send('Second')
    expect(page.lines()).toEqual([['user', 'First']])

    await line.write(encodeQuery([final('Yes.')]))
    await page.untilReady()
    expect([page.input.disabled, page.button.textContent]).toEqual([false, '发送'])
    expect(document.activeElement).toBe(page.input)
  })

  test('sends with Enter, and not with the Enter that ends a composition', async () => {
    using page = openChatPage({ options: scriptedFetch([]) })
    await page.write('nihao')
    await page.press({ key: 'Enter', isComposing: true })
    await page.press({ key: 'Enter', keyCode: 229 })
    await page.press({ key: 'a' })
    expect(page.lines()).toEqual([])
    await page.press({ key: 'Enter' })
    expect(page.lines()).toEqual([['user', 'nihao']])
  })
})

describe('a failure is a line', () => {
  test.each<[string, readonly ScriptedAnswer[], readonly string[][]]>([
    [
      'when no session can be made',
      [Response.json({ code: 'token-required', detail: 'Send a token.' }, { status: 401 })],
      [['system error', '错误: Send a token.']],
    ],
    [
      'when the agent fails, after what it has said',
      [session(), { pieces: [text('Well'), 'data: {"type":"error","error":"API connection timeout"}\n\n'] }],
      [
        ['assistant', 'Well'],
        ['system error', '错误: API connection timeout'],
      ],
    ],
    [
      'when the answer breaks off',
      [session(), { pieces: [text('Well')] }],
      [
        ['assistant', 'Well'],
        [
          'system error',
          '错误: The answer broke off before its end and could not be got back. The connection ended. Ask again.',
        ],
      ],
    ],
  ])('%s, and one can ask again', async (_, answers, lines) => {
    const { fetch, requests } = scriptedFetch(answers)
    using page = openChatPage({ options: { fetch } })
    await page.send('Hi')
    await page.untilReady()
    expect(page.lines()).toEqual([['user', 'Hi'], ...lines])
    await page.send('Again')
    expect(page.lines()).toEqual([['user', 'Hi'], ...lines, ['user', 'Again']])
    expect(requests).toHaveLength(answers.length + 1)
  })
})

test('the result of a tool is marked when it is an error, and shows its screenshot', async () => {
  const failed = { ...weatherQuery[5], is_error: true, result: 'no', screenshot_base64: 'iVBORw0KGgo=' }
  const pieces = [`data: ${JSON.stringify(failed)}\n\n`, encodeQuery([final('Sorry.')])]
  using page = openChatPage({ options: scriptedFetch([session(), { pieces }]) })
  await page.send('Hi')
  await page.untilReady()
  expect(page.lines()[1]).toEqual(['system error', '工具结果: no'])
  expect(page.find('img')?.getAttribute('src')).toBe('data:image/png;base64,iVBORw0KGgo=')
  expect(page.find('img')?.getAttribute('alt')).toBe('截图')
})

test('the words are English when that is asked for, or any that are given', async () => {
  using page = openChatPage({
    options: scriptedFetch([session(), answer(...weatherQuery)]),
    words: { ...englishWords, send: 'Ask' },
  })
  expect([page.input.placeholder, page.button.textContent]).toEqual(['Write a message...', 'Ask'])
  await page.send('Hi')
  expect(page.button.textContent).toBe('Writing...')
  await page.untilReady()
  expect(page.lines()[1]).toEqual(['system tool success', 'Calling tool: get_weather'])
})

describe('the cancel button', () => {
  test('is there while an answer is being made, and stops it on the server', async () => {
    const line = heldLine({ 'x-session-id': 'session-1' })
    const stops: string[] = []
    const fetch = afterSession(async (input, init) => {
      if (!String(input).endsWith('/stop')) return line.fetch(input, init)
      stops.push(String(input))
      return Response.json({ result: 'stopped' })
    })
    using page = openChatPage({ options: { fetch } })
    expect(page.find('.cancel')).toBeUndefined()
    await page.send('Hi')
    await line.write(text('Well'))
    expect(page.find('.cancel')?.textContent).toBe('取消')
    await page.cancel()
    await page.until(() => stops.length === 1)
    expect(stops).toEqual(['/api/chat/session-1/stop'])
    expect(line.isOpen()).toBe(true)
    await line.write('data: {"type":"final","content":"Well","status":"stopped"}\n\n: done\n\n')
    await page.untilReady()
    expect(page.lines()).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Well'],
      ['system', '回答已停止。'],
    ])
    expect(page.find('.cancel')).toBeUndefined()
  })

  test('leaves when it is pressed once more, if the end does not come', async () => {
    const line = heldLine({ 'x-session-id': 'session-1' })
    const fetch = afterSession(async (input, init) =>
      String(input).endsWith('/stop') ? new Promise<Response>(() => {}) : line.fetch(input, init),
    )
    using page = openChatPage({ options: { fetch } })
    await page.send('Hi')
    await line.write(text('Well'))
    await page.cancel()
    expect(page.find('.cancel')?.textContent).toBe('不再等待')
    await page.cancel()
    await page.untilReady()
    expect(line.isOpen()).toBe(false)
    expect(page.lines()).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Well'],
    ])
  })

  test('before there is a session asks for nothing more, and says nothing', async () => {
    const { fetch, requests } = scriptedFetch([])
    using page = openChatPage({ options: { fetch } })
    await page.send('Hi')
    await page.cancel()
    await page.untilReady()
    expect(page.lines()).toEqual([['user', 'Hi']])
    expect(requests).toHaveLength(1)
  })
})

test('every message is sent with the options of its moment, whichever they are', async () => {
  const { fetch, requests } = scriptedFetch([session(), answer(final('One.')), answer(final('Two.'))])
  const options = shallowRef<QueryStoreOptions>({ fetch, url: 'https://one.example', agent: 'first' })
  using page = openChatPage({ options })
  await page.send('Hi')
  await page.untilReady()
  const headers = () => ({ authorization: 'Bearer token' })
  options.value = { fetch, headers, level: 'step', onBusy: 'queue', agent: 'second' }
  await page.send('Hi')
  await page.untilReady()
  expect(requests[1]).toMatchObject({
    url: 'https://one.example/agent/query-stream-delta',
    body: { agent: 'first', onBusy: 'interrupt' },
  })
  expect(requests[2]).toMatchObject({
    url: '/agent/query-stream',
    body: { agent: 'second', onBusy: 'queue' },
  })
  expect(requests[2]?.headers.get('authorization')).toBe('Bearer token')
})

test('the end is in view, unless the person has scrolled away from it', async () => {
  const line = heldLine()
  using page = openChatPage({ options: { fetch: afterSession(line.fetch) } })
  const list = page.find('.chat-messages') ?? page.element
  vi.spyOn(list, 'scrollHeight', 'get').mockReturnValue(1_000)
  vi.spyOn(list, 'clientHeight', 'get').mockReturnValue(400)
  await page.send('Hi')
  expect(list.scrollTop).toBe(1_000)

  list.scrollTop = 200
  list.dispatchEvent(new Event('scroll'))
  await line.write(text('Well'))
  await page.until(() => page.streaming() === 'Well')
  expect(list.scrollTop).toBe(200)

  list.scrollTop = 600
  list.dispatchEvent(new Event('scroll'))
  await line.write(text(', yes'))
  await page.until(() => page.streaming() === 'Well, yes')
  expect(list.scrollTop).toBe(1_000)
})

test('the end is in view when a screenshot has got its height, unless the person has scrolled up', async () => {
  const line = heldLine()
  using page = openChatPage({ options: { fetch: afterSession(line.fetch) } })
  const list = page.find('.chat-messages') ?? page.element
  const height = vi.spyOn(list, 'scrollHeight', 'get').mockReturnValue(1_000)
  vi.spyOn(list, 'clientHeight', 'get').mockReturnValue(400)
  await page.send('Hi')
  await line.write(text('Look'))
  await page.until(() => page.streaming() === 'Look')
  const picture = list.appendChild(document.createElement('img'))

  // The picture has its height before the list has told that it was scrolled.
  height.mockReturnValue(1_847)
  list.dispatchEvent(new Event('scroll'))
  picture.dispatchEvent(new Event('load'))
  expect(list.scrollTop).toBe(1_847)

  list.scrollTop = 700
  list.dispatchEvent(new Event('scroll'))
  picture.dispatchEvent(new Event('load'))
  expect(list.scrollTop).toBe(700)
})

test.each(['before there is a session', 'in mid-answer'])(
  'a component that goes aborts what it has asked, and says nothing: %s',
  async moment => {
    const line = heldLine()
    const fetch = moment === 'in mid-answer' ? afterSession(line.fetch) : line.fetch
    const page = openChatPage({ options: { fetch } })
    await page.send('Hi')
    if (moment === 'in mid-answer') await line.write(text('Well'))
    page[Symbol.dispose]()
    await turnUntil(() => !line.isOpen())
  },
)

function session(): Response {
  return Response.json({ session_id: 'session-1' }, { status: 201 })
}

function answer(...events: readonly QueryEvent[]): ScriptedAnswer {
  return { pieces: [encodeQuery(events)] }
}

function afterSession(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => (String(input).endsWith('/sessions') ? session() : fetch(input, init))
}
