import {
  asking,
  type Beat,
  breaking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { messagesBy, outputsOf, readLog } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { expect, test } from 'vitest'

const note = calling('note', { text: 'something' })

test.each<[string, readonly (readonly Beat[])[], string]>([
  [
    'what it said after its last tool call',
    [
      [saying('I look first.'), note],
      [saying('I look again.'), note],
      [saying('It is '), saying('blue.')],
    ],
    'It is blue.',
  ],
  ['all it said when it called no tool', [[saying('It is blue. '), saying('Quite.')]], 'It is blue. Quite.'],
  [
    'its last words when it said nothing after its last tool call',
    [[saying('It must be blue.'), note], [saying(' \n'), note], []],
    'It must be blue.',
  ],
  [
    'its last words before it broke',
    [
      [saying('I look.'), note],
      [saying('Half of '), breaking('no')],
    ],
    'Half of',
  ],
])('the summary of a sub-agent is %s', async (_, turns, summary) => {
  const model = scriptedModel({ master: [[asking('helper')], [saying('Done.')]], helper: turns })
  await using server = await startDelegation({ model, subAgents: [subAgent('helper', { tools: ['note'] })] })
  await (await ask(server.url)).text()
  expect(outputsOf(await readLog(server.url)).get('ask-helper')).toMatchObject({ summary })
  expect(toolResultsOf(model, 'master')).toContain(JSON.stringify(summary))
  expect(toolResultsOf(model, 'master')).not.toContain('I look')
  // The person still sees everything that it said, in its own message.
  const { messages } = await loadChat(server.url)
  const said = messagesBy(messages, 'helper').flatMap(({ parts }) =>
    parts.filter(({ type }) => type === 'text'),
  )
  const spoken = turns.flat().flatMap(beat => (beat.type === 'say' ? [beat.text] : []))
  expect(said.map(part => ('text' in part ? part.text : '')).join('')).toBe(spoken.join(''))
})
