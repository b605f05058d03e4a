import { demoTools } from '@throughline/agents/demo'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { startProgram } from '../start-program.ts'

describe('a message on the command line', () => {
  test('is sent, and its answer printed without colours', async () => {
    await using server = await startTestServer()
    const { code, output, errors } = await startProgram(['chat', '--url', server.url, 'How', 'is it?']).ended
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output.replace(/✓ \d+ ms/, '✓ 1 ms')).toBe(
      'The assistant › Let me look. \n⚙ weather {"city":"Lisbon"} … ✓ 1 ms\nThe sky is clear.\n',
    )
  })

  test('in a chat with a history brings its own answer alone', async () => {
    await using server = await startTestServer({
      agents: [scriptedAgent('assistant', [say('Yes.'), finish])],
    })
    const words = ['chat', '--url', server.url, '--chat', 'trip']
    const first = await startProgram([...words, 'First']).ended
    const second = await startProgram([...words, '--', '--second']).ended
    expect([first.output, second.output]).toEqual(['The assistant › Yes.\n', 'The assistant › Yes.\n'])
    expect(await loadAnswer(server.url, 'trip')).toMatchObject({ metadata: { status: 'finished' } })
  })

  test('to a person is sent, and nothing is waited for', async () => {
    await using server = await startTestServer()
    const words = ['chat', '--url', server.url, '--chat', 'trip', '--agent', 'user::Ann', 'Hello']
    expect(await startProgram(words).ended).toMatchObject({ code: 0, errors: '', output: '' })
    expect((await loadChat(server.url, 'trip')).messages).toMatchObject([
      { metadata: { receiverName: 'Ann' } },
    ])
  })

  test('whose answer fails ends with 1', async () => {
    const agent = scriptedAgent('assistant', function* () {
      yield say('Well, ')
      throw new Error('The model is gone.')
    })
    await using server = await startTestServer({ agents: [agent] })
    const { code, output } = await startProgram(['chat', '--url', server.url, 'Hello']).ended
    expect(code).toBe(1)
    expect(output).toContain('The assistant › Well, \n✗ failed: ')
  })

  test('can be piped in', async () => {
    await using server = await startTestServer({ agents: [echoAgent()] })
    const program = startProgram(['chat', '--url', server.url])
    program.say('One line,\nand another.\n')
    expect(await program.ended).toMatchObject({
      code: 0,
      output: 'The assistant › One line,\nand another.\n',
    })
  })

  test('that is empty is not sent', async () => {
    const program = startProgram(['chat', '--url', 'http://127.0.0.1:1'])
    program.say(' \n')
    expect(await program.ended).toMatchObject({ code: 1, errors: expect.stringContaining('nothing to send') })
  })
})

describe('without a person', () => {
  test('a call that needs approval is not allowed', async () => {
    const report = { to: 'Ada', text: 'All is well.' }
    await using server = await startDelegation({
      model: scriptedModel({ master: [[calling('send_report', report)], [saying('Then not.')]] }),
      tools: demoTools(),
    })
    const { code, output, errors } = await startProgram(['chat', '--url', server.url, 'Send it']).ended
    expect(code).toBe(0)
    expect(errors).toBe('send_report was not allowed: nobody is here to approve it.\n')
    expect(output).toContain('✗ send_report: not allowed: nobody is there to approve it\nThen not.\n')
  })

  test('SIGINT stops the answer, and ends with 130', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, this may take a while.')] })
    await using server = await startTestServer({ agents: [agent] })
    const program = startProgram(['chat', '--url', server.url, '--chat', 'chat', 'Go'])
    await program.until('take a while.')
    program.signal('SIGINT')
    const { code, output } = await program.ended
    expect(code).toBe(130)
    expect(output).toBe('The assistant › Well, this may take a while.\n■ stopped\n')
    expect(await loadAnswer(server.url)).toMatchObject({ metadata: { status: 'stopped' } })
  })
})

describe('a server', () => {
  test('that cannot be reached is named, with what to do', async () => {
    const { code, errors } = await startProgram(['chat', '--url', 'http://127.0.0.1:1', 'Hello']).ended
    expect(code).toBe(1)
    expect(errors).toMatch(/^http:\/\/127\.0\.0\.1:1 cannot be reached .*"throughline serve".*--url\.\n$/)
  })

  test('with tokens takes the one in the environment, or the one that is given', async () => {
    const token = 'a-token-for-the-test'
    await using server = await startTestServer({ tokens: new Map([[token, ownerIdOf('ada')]]) })
    const words = ['chat', '--url', server.url]
    expect(await startProgram([...words, 'Hello']).ended).toMatchObject({
      code: 1,
      errors: `${server.url} needs a token. Give it with THROUGHLINE_TOKEN or --token.\n`,
    })
    const env = { THROUGHLINE_TOKEN: token }
    expect(await startProgram([...words, 'Hello'], env).ended).toMatchObject({ code: 0 })
    expect(await startProgram([...words, '--token', token, 'Hello']).ended).toMatchObject({ code: 0 })
  })
})

function echoAgent() {
  return scriptedAgent('assistant', function* ({ messages }) {
    for (const part of messages.at(-1)?.parts ?? []) if (part.type === 'text') yield say(part.text)
    yield finish
  })
}
