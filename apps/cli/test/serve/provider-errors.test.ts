import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startEchoingProvider } from '@throughline/testing/provider/echoing-provider'
import { startChildServer } from '@throughline/testing/server/child-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const key = 'sk-test-0123456789abcdef0123456789'
const question = 'My account number is 88 77 66 55, what is in it?'

// What the provider was sent: the key, the question, and words of the instructions and of the tools.
const sent = [key, question, 'account number', 'helpful assistant', 'arithmetic', '"messages"', '"tools"']

test.each([
  ['at once', 401, 1],
  ['after several attempts', 500, 3],
])(
  'a provider that fails %s and repeats the request leaves nothing of it in the log or the answer',
  async (_, status, attempts) => {
    await using folder = await temporaryFolder()
    await using provider = await startEchoingProvider(status)
    await using server = await startChildServer(folder.path, {
      THROUGHLINE_MODEL: 'openai-compatible:some-model',
      OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/v1`,
      OPENAI_COMPATIBLE_API_KEY: key,
      THROUGHLINE_LOG: 'debug',
    })
    const stream = await (await ask(server.url, { text: question })).text()
    const answer = JSON.stringify(await loadAnswer(server.url))
    await server.end('SIGTERM')
    expect(provider.requests()).toBe(attempts)
    expect(answer).toContain(`(${status})`)
    for (const text of sent) {
      expect(server.output()).not.toContain(text)
      expect(answer).not.toContain(text)
    }
    expect(stream).not.toContain(key)
    // It still says what happened, and where.
    expect(server.output()).toContain(`"statusCode":${status}`)
    expect(server.output()).toContain(`"url":"${provider.url}/v1/chat/completions"`)
    expect(server.output()).toContain('"providerCode":"refused_by_test"')
  },
)
