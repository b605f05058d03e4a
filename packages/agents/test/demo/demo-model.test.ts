import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, isStepCount, type ModelMessage, streamText } from 'ai'
import { expect, test, vi } from 'vitest'
import { demoChinese } from '../../src/demo/chinese.ts'
import { createDemoModel } from '../../src/demo/demo-model.ts'
import { weatherTool } from '../../src/demo/demo-tools.ts'
import { countWords } from '../../src/demo/demo-words.ts'
import { demoEnglish } from '../../src/demo/english.ts'
import { DemoModelError } from '../../src/demo/play-actions.ts'
import { demoScenarios } from '../../src/demo/scenarios.ts'
import { scenarioTexts } from '../../src/demo/speak.ts'
import { calculatorTool } from '../../src/tools/calculator.ts'
import { currentTimeTool } from '../../src/tools/current-time.ts'

const instantly = async () => {}
const model = createDemoModel({ wait: instantly })
const tools = {
  current_time: currentTimeTool({ now: () => new Date('2026-01-31T20:04:05Z') }),
  calculator: calculatorTool,
  weather: weatherTool,
}

test('help lists every scenario with the word to type', async () => {
  const { text } = await run('help')
  for (const { name } of demoScenarios) {
    const { keyword, shows } = scenarioTexts(demoEnglish, name)
    expect(text).toContain(`- **${keyword}**: ${shows}`)
  }
  expect(text).toContain('not a language model')
})

const keywords = demoScenarios.flatMap(({ name }) =>
  [demoEnglish, demoChinese].map(language => scenarioTexts(language, name).keyword),
)

test.each(keywords)('typing %s finds a scenario, not the answer for everything else', async keyword => {
  const { text, types } = await run(keyword)
  expect(text).not.toContain('cannot really answer')
  expect(types.length).toBeGreaterThan(3)
})

test('weather is text, a tool call with streamed input, then text that uses the result', async () => {
  const { steps, types, text } = await run("What's the weather in Tokyo?")
  expect(withoutRepeats(types)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-end',
    'tool-call',
    'text-end',
    'tool-result',
    'finish-step',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ])
  expect(types.filter(type => type === 'tool-input-delta').length).toBeGreaterThan(2)
  expect(steps.map(step => step.finishReason)).toEqual(['tool-calls', 'stop'])
  expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: 'weather', input: { city: 'Tokyo' } })
  expect(text).toContain('In Tokyo it is sunny at 20 °C, with 52 % humidity and wind at 13 km/h (demo data).')
})

test('a city the weather tool does not know is asked for all the same, and its refusal is told', async () => {
  const { text } = await run('weather in Gotham City please')
  expect(text).toContain('There is no weather for "Gotham City".')
})

test('thinking is reasoning parts, then text', async () => {
  const { types, steps } = await run('think about it')
  expect(types.filter(type => type === 'reasoning-start')).toHaveLength(2)
  expect(types.lastIndexOf('reasoning-end')).toBeLessThan(types.indexOf('text-start'))
  expect(steps[0]?.reasoningText).toContain('recited from a script')
  expect(steps[0]?.usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(20)
})

test.each(['tools', 'do it in parallel', '并行调用工具'])(
  '"%s" makes three calls in one step and uses all results',
  async prompt => {
    const { steps, text } = await run(prompt)
    expect(steps[0]?.toolCalls.map(call => call.toolName)).toEqual(['current_time', 'calculator', 'weather'])
    expect(new Set(steps[0]?.toolCalls.map(call => call.toolCallId)).size).toBe(3)
    expect(text).toContain('2026-02-01T04:04:05+08:00')
    expect(text).toContain('168')
    expect(text).toContain('22 °C')
  },
)

test('fail calls a tool that fails, then explains the failure it saw', async () => {
  const { types, text, steps } = await run('fail')
  expect(types).toContain('tool-error')
  expect(steps.map(step => step.finishReason)).toEqual(['tool-calls', 'stop'])
  expect(text).toMatch(/The tool `weather` failed\. It said: ".*There is no weather for "Atlantis"\./)
})

test('markdown holds headings, a list, TypeScript, a table and a quote', async () => {
  const { text } = await run('show me some markdown')
  for (const piece of ['\n## ', '\n- ', '```typescript\n', '|:---', '\n> ']) expect(text).toContain(piece)
})

test.each(['a rich answer', '公式'])(
  '"%s" holds a formula, a diagram, a task and a footnote, and names its sources',
  async prompt => {
    const { text, types } = await run(prompt)
    for (const piece of ['\n$$\n', '```mermaid\n', '\n- [x] ', '[^1]: ']) expect(text).toContain(piece)
    expect(types.filter(type => type === 'source')).toHaveLength(2)
  },
)

test('error is some text, then an error part; the step still ends, with finish reason error', async () => {
  const { types, errors, steps } = await run('error')
  expect(types.indexOf('text-delta')).toBeLessThan(types.indexOf('error'))
  expect(types.slice(-2)).toEqual(['finish-step', 'finish'])
  expect(errors).toEqual([expect.any(DemoModelError)])
  expect(steps[0]?.finishReason).toBe('error')
})

test('long is at least 3,000 words in numbered paragraphs', async () => {
  const { text } = await run('a long answer, please')
  expect(text.split(/\s+/).length).toBeGreaterThanOrEqual(3000)
  const paragraphs = text.split('\n\n').slice(1)
  paragraphs.forEach((paragraph, index) => {
    expect(paragraph).toMatch(new RegExp(`^${index + 1}\\. ["A-Z]`))
    expect(paragraph).not.toMatch(/[{}]/)
  })
})

test('how long is a question, not a wish for a long answer', async () => {
  expect(countWords((await run('How long is a day?')).text)).toBeLessThan(60)
})

test.each(['你好', '今天晚上吃什么？', '上海的天气怎么样？'])(
  '"%s" is answered in Chinese: text, tool, text',
  async prompt => {
    const { steps } = await run(prompt)
    expect(steps).toHaveLength(2)
    expect(steps[0]?.text).toMatch(/天气/)
    expect(steps[0]?.toolCalls).toHaveLength(1)
    expect(steps[1]?.text).toMatch(/(北京|上海)现在(晴|小雨)，气温 \d+ °C/)
  },
)

test('anything else is echoed in short, with a word about being scripted and a pointer to help', async () => {
  const { text, steps } = await run(`Who   painted\nthis? ${'x'.repeat(500)}`)
  expect(text).toMatch(/^Hello! You wrote: "Who painted this\? x{62}…"\./)
  expect(text).toContain('scripted demo model, not a language model')
  expect(text).toContain('**help**')
  expect(steps).toHaveLength(1)
})

test('the last user message decides, not the ones before it', async () => {
  const { steps } = await run([
    { role: 'user', content: 'weather' },
    { role: 'assistant', content: 'It is fine.' },
    { role: 'user', content: 'Thank you.' },
  ])
  expect(steps).toHaveLength(1)
  expect(steps[0]?.text).toContain('You wrote: "Thank you."')
})

test('asking the same again in a chat gives tool calls with other ids', async () => {
  const first = await run('weather')
  const question: ModelMessage = { role: 'user', content: 'weather' }
  const second = await run([question, ...first.messages, question])
  expect(second.steps).toHaveLength(2)
  expect(second.steps[0]?.toolCalls[0]?.toolCallId).not.toBe(first.steps[0]?.toolCalls[0]?.toolCallId)
})

test.each(['weather', 'fail', 'tools', '你好'])('"%s" without tools says so and calls none', async prompt => {
  const result = streamText({ model, prompt, stopWhen: isStepCount(5) })
  expect(await result.text).toContain('`weather`')
  expect(await result.finishReason).toBe('stop')
  expect(await result.steps).toHaveLength(1)
})

test('tools that are there are called and the missing one is named', async () => {
  const some = { calculator: calculatorTool, weather: weatherTool }
  const result = streamText({ model, prompt: 'tools', tools: some, stopWhen: isStepCount(5) })
  const [first] = await result.steps
  expect(first?.toolCalls.map(call => call.toolName)).toEqual(['calculator', 'weather'])
  expect(first?.text).toBe(
    'I would call `current_time` here, but this agent was not given that tool. I will make 2 tool calls in one step.',
  )
})

test('tool choice none is obeyed', async () => {
  const result = streamText({ model, prompt: 'weather', tools, toolChoice: 'none' })
  expect(await result.toolCalls).toEqual([])
})

test('every text part has the same id, and stays open across a tool call', async () => {
  const parts = await read(call('tools', tools))
  const texts = parts.flatMap(part => ('id' in part && part.type.startsWith('text-') ? [part.id] : []))
  expect(new Set(texts)).toEqual(new Set(['0']))
  expect(parts.at(-2)?.type).toBe('text-end')
  expect(parts.at(-1)?.type).toBe('finish')
})

test('streamed tool input is cut into pieces that make up the input of the call', async () => {
  const parts = await read(call('你好', tools))
  const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []))
  const input = parts.flatMap(part => (part.type === 'tool-call' ? [part.input] : []))
  expect(deltas.length).toBeGreaterThan(1)
  expect(deltas.join('')).toBe(input[0])
  expect(input).toEqual(['{"city":"北京"}'])
})

test('the same prompt and seed give the same stream, another seed another one', async () => {
  const prompt = call('long')
  expect(await read(prompt)).toEqual(await read(prompt))
  expect(await read(prompt)).not.toEqual(await read({ ...prompt, seed: 2 }))
  const other = createDemoModel({ seed: 2, wait: instantly })
  expect(await read(prompt, other)).toEqual(await read({ ...prompt, seed: 2 }))
})

test('the waits add up to the pace that was asked for', async () => {
  let waitedMs = 0
  const wait = async (ms: number) => {
    waitedMs += ms
  }
  const parts = await read(call('long'), createDemoModel({ wordsPerSecond: 100, wait }))
  const words = parts.flatMap(part => (part.type === 'text-delta' ? [part.delta] : [])).join('')
  const expectedMs = (countWords(words) / 100) * 1000
  expect(waitedMs / expectedMs).toBeGreaterThan(0.95)
  expect(waitedMs / expectedMs).toBeLessThan(1.05)
})

test('an infinite pace never waits', async () => {
  const wait = () => Promise.reject(new Error('waited'))
  const parts = await read(call('help'), createDemoModel({ wordsPerSecond: Number.POSITIVE_INFINITY, wait }))
  expect(parts.at(-1)?.type).toBe('finish')
})

test.each([0, -1, Number.NaN])('a pace of %d words per second is refused', wordsPerSecond => {
  expect(() => createDemoModel({ wordsPerSecond })).toThrow('must be above 0')
})

test('an abort ends the stream at once with its reason, also while the model waits', async () => {
  const abort = new AbortController()
  const reason = new DOMException('Stopped by a person.', 'AbortError')
  // Never resolves, so the stream can only end by the signal.
  const stuck = createDemoModel({ wait: () => new Promise(() => {}) })
  const { stream } = await stuck.doStream({ ...call('help'), abortSignal: abort.signal })
  const reading = drain(stream)
  abort.abort(reason)
  await expect(reading).rejects.toBe(reason)
})

test('the default wait lets go of its timer when aborted', async () => {
  // Timers of its own: those of other tests in this process come and go.
  vi.useFakeTimers()
  try {
    const abort = new AbortController()
    const slow = createDemoModel({ wordsPerSecond: 0.001 })
    const { stream } = await slow.doStream({ ...call('help'), abortSignal: abort.signal })
    const reading = drain(stream)
    const refused = expect(reading).rejects.toBe('stop')
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(1)
    abort.abort('stop')
    await refused
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a call with an aborted signal never becomes a stream', async () => {
  const abortSignal = AbortSignal.abort(new Error('too late'))
  await expect(model.doStream({ ...call('help'), abortSignal })).rejects.toThrow('too late')
  await expect(model.doGenerate({ ...call('help'), abortSignal })).rejects.toThrow('too late')
})

test('an aborted streamText ends with an abort part', async () => {
  const abort = new AbortController()
  const types: string[] = []
  const result = streamText({ model, prompt: 'long', abortSignal: abort.signal })
  for await (const part of result.stream) {
    types.push(part.type)
    if (types.filter(type => type === 'text-delta').length === 10) abort.abort()
  }
  expect(types.at(-1)).toBe('abort')
  expect(types.length).toBeLessThan(30)
})

test('doGenerate gives the same text, calls and usage as the stream', async () => {
  const generated = await generateText({ model, prompt: 'tools', tools, stopWhen: isStepCount(5) })
  const streamed = await run('tools')
  expect(generated.steps.map(step => step.text)).toEqual(streamed.steps.map(step => step.text))
  expect(generated.steps.map(step => step.toolCalls)).toEqual(streamed.steps.map(step => step.toolCalls))
  expect(generated.steps.map(step => step.usage)).toEqual(streamed.steps.map(step => step.usage))
})

test('doGenerate rejects with the error that the stream would carry', async () => {
  await expect(model.doGenerate(call('error'))).rejects.toThrow(DemoModelError)
})

test('usage counts the words of the prompt and of the answer, and says that it counts words', async () => {
  const result = await model.doGenerate(call('Hello out there'))
  const [answer] = result.content
  expect(result.usage.inputTokens.total).toBe(3)
  expect(result.usage.outputTokens.total).toBe(answer?.type === 'text' ? countWords(answer.text) : -1)
  expect(result.usage.raw).toEqual({ unit: 'words' })
})

test('an attached file is never downloaded, and the answer says that it cannot be read', async () => {
  const data = new URL('https://files.invalid/cat.png')
  // The SDK's own download leaves alone what the model claims to support.
  const offered: boolean[] = []
  const result = streamText({
    model,
    messages: [{ role: 'user', content: [{ type: 'file', data, mediaType: 'image/png' }] }],
    experimental_download: async files => {
      for (const file of files) offered.push(file.isUrlSupportedByModel)
      return files.map(() => null)
    },
  })
  expect(await result.text).toContain('I cannot read the file you attached.')
  expect(offered).toEqual([true])
})

async function run(prompt: string | ModelMessage[]) {
  const errors: unknown[] = []
  const result = streamText({
    model,
    prompt,
    tools,
    stopWhen: isStepCount(5),
    onError: ({ error }) => {
      errors.push(error)
    },
  })
  const types: string[] = []
  for await (const part of result.stream) types.push(part.type)
  const steps = await result.steps
  const messages = steps.flatMap(step => step.response.messages)
  return { types, errors, steps, messages, text: steps.map(step => step.text).join('\n') }
}

function call(question: string, given: Readonly<Record<string, unknown>> = {}): LanguageModelV4CallOptions {
  return {
    prompt: [{ role: 'user', content: [{ type: 'text', text: question }] }],
    tools: Object.keys(given).map(name => ({ type: 'function', name, inputSchema: { type: 'object' } })),
  }
}

async function read(options: LanguageModelV4CallOptions, from = model) {
  return drain((await from.doStream(options)).stream)
}

async function drain(stream: ReadableStream<LanguageModelV4StreamPart>) {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

function withoutRepeats(types: readonly string[]): readonly string[] {
  return types.filter((type, index) => type !== types[index - 1])
}
