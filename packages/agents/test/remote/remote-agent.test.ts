import { expect, test } from 'vitest'
import { type RemoteAgentOptions, remoteAgent } from '../../src/remote/remote-agent.ts'

const options: RemoteAgentOptions = { name: 'support', url: 'http://127.0.0.1/chat', form: 'ai-sdk' }

test.each<[string, Partial<RemoteAgentOptions>, string]>([
  ['an address that is none', { url: 'secret' }, 'url must begin with http:// or https://.'],
  ['another protocol', { url: 'file:///secret' }, 'url must begin with http:// or https://.'],
  [
    'a password in the address',
    { url: 'http://me:secret@example.com' },
    'url has a user name or a password in it. Send them in headers.',
  ],
  ['a header with two lines', { headers: { 'x-key': 'secret\nb' } }, '"x-key" is not a header'],
  ['no time', { maxSilenceMs: 0 }, 'maxSilenceMs must be from 1 to 300000.'],
  ['less than no time', { reconnectMs: -1 }, 'reconnectMs must be 0 or more.'],
])('%s is refused by its name, without its value', (_, wrong, message) => {
  const make = () => remoteAgent({ ...options, ...wrong })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(/^remoteAgent "support": /)
  expect(make).toThrow(message)
  expect(make).not.toThrow(/secret/)
})

test('it has the name, the description and the examples that it was given', () => {
  const described = { displayName: 'Support', description: 'Knows orders.', examples: ['Where is my order?'] }
  expect(remoteAgent({ ...options, ...described })).toMatchObject({ name: 'support', ...described })
  expect(remoteAgent(options).displayName).toBe('support')
})
