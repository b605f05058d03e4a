import { expect, test } from 'vitest'
import { run } from '../src/main.ts'
import { fakeTerminal } from './fake-terminal.ts'

test.each([
  [['help'], 'throughline chat         talk to a server'],
  [[], 'throughline chat         talk to a server'],
  [['--help'], 'throughline chat         talk to a server'],
  [['help', 'serve'], 'THROUGHLINE_DATA       the folder of its data'],
  [['help', 'chat'], 'throughline chat [options] [MESSAGE...]'],
  [['chat', '--help'], 'throughline chat [options] [MESSAGE...]'],
  [['replay', '-h'], 'throughline replay CHAT [options]'],
  [['help'], 'throughline compact      make the database of a stopped server smaller'],
  [['help', 'compact'], 'throughline compact [options]'],
  [['help', 'renew'], 'throughline renew [options]'],
  [['help', 'conformance'], 'throughline conformance URL [options]'],
])('throughline %j helps', async (words, expected) => {
  const terminal = fakeTerminal()
  expect(await run(words, terminal.shell)).toBe(0)
  expect(terminal.text).toContain(expected)
})

test.each([
  [['dance'], 'There is no command "dance".\n\nthroughline: '],
  [['help', 'dance'], 'There is no command "dance".'],
  [['serve', '--port', '1'], `Unknown option '--port'`],
  [['serve', 'now'], 'takes its settings from the environment. See "throughline help serve".'],
  [['chat', '--model', 'x'], 'See "throughline help chat".'],
  [['chat', '--chat', 'a b', 'Hello'], '--chat: "a b" is no chat id.'],
  [['chat', '--url', 'nowhere', 'Hello'], '--url: "nowhere" is no address.'],
  [['replay'], 'Name one chat: throughline replay CHAT.'],
  [['replay', 'a', 'b'], 'Name one chat: throughline replay CHAT.'],
  [['replay', 'a b'], '"a b" is no chat id.'],
  [['replay', 'a', '--data', '.', '--url', 'http://x'], 'Use either --data or --url, not both.'],
  [['replay', 'a', '--owner', 'ada', '--url', 'http://x'], '--owner goes with --data'],
  [['replay', 'a', '--owner', 'a b'], '--owner: "a b" is no owner.'],
  [['compact', 'here'], 'Name the folder with --data FOLDER.'],
  [['compact', '--data', '/nowhere'], 'There is no data in /nowhere. Name the folder with --data'],
  [['renew', 'here'], 'Name the folder with --data FOLDER.'],
  [['renew', '--data', '/nowhere'], 'There is no data in /nowhere. Name the folder with --data'],
  [['conformance'], 'Name one server: throughline conformance URL.'],
  [['conformance', 'chat.example'], '"chat.example" is no address.'],
  [
    ['conformance', 'http://x', '--only', 'dance'],
    '--only: there is no check "dance". There are answer/complete,',
  ],
  [['conformance', 'http://x', '--timeout', 'soon'], '--timeout: "soon" is not a number of seconds'],
])('throughline %j says what is wrong, and ends with 1', async (words, expected) => {
  const terminal = fakeTerminal()
  expect(await run(words, terminal.shell)).toBe(1)
  expect(terminal.text).toContain(expected)
})
