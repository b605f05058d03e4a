import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { submit } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { startChat } from '../fake-terminal.ts'

const prompt = '\nYou › '

describe('a conversation', () => {
  test('answers what is typed, asks for more, and ends with Ctrl-D', async () => {
    await using server = await startTestServer()
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.enter('How is the weather?')
    expect(await chat.until(prompt)).toBe(
      [
        'How is the weather?\r',
        'The assistant › Let me look. ',
        '⚙ weather {"city":"Lisbon"} … ✓ 0 ms',
        'The sky is clear.',
        '',
        'You › ',
      ]
        .join('\n')
        .replace('✓ 0 ms', /✓ \d+ ms/.exec(chat.text)?.[0] ?? ''),
    )
    chat.press('ctrl-d')
    expect(await chat.code).toBe(0)
    expect(chat.text).toMatch(/\nCome back with: throughline chat --chat chat_[0-9a-f]+\n$/)
  })

  test('goes on with an existing chat below what was said in it', async () => {
    await using server = await startTestServer()
    await using first = startChat(server.url, '--chat', 'trip')
    await first.until(prompt)
    first.enter('How is the weather?')
    await first.until(prompt)
    await using second = startChat(server.url, '--chat', 'trip')
    expect(await second.until('The sky is clear.')).toContain(
      'You › How is the weather?\nThe assistant › Let me look. \n⚙ weather',
    )
    await second.until(prompt)
  })

  test('shows what somebody else says in it, above what is being typed', async () => {
    await using server = await startTestServer({ agents: [quickAgent()] })
    await using chat = startChat(server.url, '--chat', 'chat')
    await chat.until(prompt)
    chat.enter('Hello')
    await chat.until('Yes.')
    await chat.until(prompt)
    chat.type('not sent y')
    await chat.until('not sent y')
    await submit(server.url, { text: 'From elsewhere', fields: { onBusy: 'queue' } })
    expect(await chat.until('\n\nYou › not sent y')).toContain('You › From elsewhere\nThe assistant › Yes.')
    chat.enter('et')
    expect(await chat.until('Yes.')).toContain('The assistant › ')
  })

  test('with a name that the server does not know ends with the names it knows', async () => {
    await using server = await startTestServer()
    await using chat = startChat(server.url, '--agent', 'nobody')
    expect(await chat.code).toBe(1)
    expect(chat.text).toBe('There is no agent "nobody". The server has assistant.\n')
  })
})

describe('Ctrl-C', () => {
  test('stops an answer and goes back to the prompt; there it leaves', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, this may take a while.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.enter('Go')
    await chat.until('this may take a while.')
    chat.press('ctrl-c')
    expect(await chat.until(prompt)).toBe('\n■ stopped\n\nYou › ')
    chat.press('ctrl-c')
    expect(await chat.code).toBe(0)
  })

  test('takes back what was typed before it leaves', async () => {
    await using server = await startTestServer()
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.type('half a thou')
    await chat.until('half a thou')
    chat.press('ctrl-c')
    await chat.until('You › ')
    chat.press('ctrl-c')
    expect(await chat.code).toBe(0)
    expect(chat.text).not.toContain('The assistant ›')
  })
})

describe('what is typed during an answer', () => {
  test('is not seen until the answer has ended, and then it is sent', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.enter('First')
    await chat.until('Well, ')
    chat.enter('Second')
    letGo()
    expect(await chat.until('You › Second\n')).toBe('yes.\n\nYou › Second\n')
    expect(await chat.until(prompt)).toContain('The assistant › Well, yes.')
  })

  test('is obeyed at once when it is /stop or /quit', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.enter('First')
    await chat.until('Well, ')
    chat.enter('/stop')
    await chat.until('■ stopped')
    await chat.until(prompt)
    chat.enter('Second')
    await chat.until('Well, ')
    chat.enter('/quit')
    expect(await chat.code).toBe(0)
    expect(chat.text).toContain('The answer goes on without you. Come back with: ')
  })
})

describe('the commands', () => {
  test('give another answer, and an answer to another question', async () => {
    await using server = await startTestServer({ agents: [countingAgent()] })
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.enter('/again')
    await chat.until('There is no message to answer again.')
    await chat.until(prompt)
    chat.enter('Hello')
    await chat.until('1: Hello')
    await chat.until(prompt)
    chat.enter('/again')
    expect(await chat.until(prompt)).toBe('/again\r\nThe assistant › ↻ answer 2 of 2\n2: Hello\n\nYou › ')
    chat.enter('/edit Good evening')
    expect(await chat.until(prompt)).toBe('/edit Good evening\r\nThe assistant › 3: Good evening\n\nYou › ')
    chat.enter('/new')
    await chat.until('A new chat.')
    await chat.until(prompt)
    chat.enter('Hello')
    expect(await chat.until(prompt)).toContain('The assistant › 4: Hello')
  })

  test('are listed by /help, and what is none is no message', async () => {
    await using server = await startTestServer({ agents: [countingAgent()] })
    await using chat = startChat(server.url)
    await chat.until(prompt)
    chat.enter('/help')
    for (const command of ['/again', '/edit TEXT', '/stop', '/new', '/help', '/quit'])
      await chat.until(`\n${command}`)
    chat.enter('/agian')
    await chat.until('There is no command /agian.')
    await chat.until(prompt)
    chat.enter('/etc/hosts is a path')
    await chat.until('1: /etc/hosts is a path')
    await chat.until(prompt)
    chat.enter('/quit')
    expect(await chat.code).toBe(0)
  })
})

test('a connection that is lost is told of and found again, and no word comes twice', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  await using proxy = await startFaultProxy(server.url)
  await using chat = startChat(proxy.url)
  await chat.until(prompt)
  chat.enter('Hello')
  await chat.until('Well, ')
  proxy.resetAll()
  expect(await chat.until('Connected again.')).toBe(
    '\nThe connection is lost. Trying to get it back …\nConnected again.',
  )
  letGo()
  expect(await chat.until(prompt)).toBe('\nyes.\n\nYou › ')
})

function quickAgent() {
  return scriptedAgent('assistant', [say('Yes.'), finish])
}

/** An agent whose answer says how often it was asked, and what. */
function countingAgent() {
  let count = 0
  return scriptedAgent('assistant', function* ({ messages }) {
    count += 1
    const question = messages.findLast(({ role }) => role === 'user')?.parts[0]
    yield say(`${count}: ${question?.type === 'text' && 'text' in question ? question.text : ''}`)
    yield finish
  })
}
