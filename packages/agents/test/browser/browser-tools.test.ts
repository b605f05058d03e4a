import { testRunScope } from '@throughline/testing/agent/run-scope'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { expect, test } from 'vitest'
import { browserTools } from '../../src/browser/browser-tools.ts'
import { toolSetOf } from '../../src/run/wrap-tool.ts'
import { type LocalServer, startLocalServer } from '../web/testing/local-server.ts'
import { startableRuns } from './testing/browser-run.ts'

const form = `<!doctype html><title>Order</title><h1>Order tea</h1>
  <p>Press Send to order.</p>
  <form method="post" action="/ordered">
    <label for="who">Your name</label><input id="who" name="who">
    <select name="tea"><option>Green</option><option>Black</option></select>
    <button>Send</button>
  </form>
  <a href="/other" target="_blank">Another window</a>
  <script>document.querySelector('h1').append(', said the script')</script>`

function startShop(): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (request.url === '/ordered') {
      const body: Buffer[] = []
      request.on('data', piece => body.push(piece))
      request.on('end', () => response.end(`<title>Thanks</title><p>${Buffer.concat(body)}</p>`))
    } else if (request.url === '/file') {
      response.setHeader('content-disposition', 'attachment').end('bytes')
    } else if (request.url === '/tall') {
      response.end('<body style="margin:0"><div style="height:2000px;background:red"></div>')
    } else if (request.url === '/other') {
      response.end('<title>Other</title>')
    } else response.end(form)
  })
}

test('a form is read, filled in and sent, and its answer is read', async () => {
  await using shop = await startShop()
  const { startRun } = startableRuns({ allowHosts: [shop.host] })
  await using run = startRun()
  expect(await run.call('browser_navigate', { url: shop.url })).toEqual({
    ok: true,
    url: `${shop.url}/`,
    title: 'Order',
    status: 200,
  })
  const read = await run.call('browser_extract', {})
  expect(read).toMatchObject({ ok: true, truncated: false })
  expect(read['text']).toContain('# Order tea, said the script')
  expect(read['controls']).toEqual([
    { selector: '#who', kind: 'input text', label: 'Your name' },
    { selector: 'select[name="tea"]', kind: 'select', label: 'Green, Black' },
    { selector: 'button', kind: 'button', label: 'Send' },
  ])
  await run.call('browser_type', { selector: '#who', text: 'Ada & Bob' })
  await run.call('browser_type', { selector: 'select', text: 'Black' })
  // "Send" stands in a sentence before it stands on the button.
  expect(await run.call('browser_click', { text: 'Send' })).toEqual({
    ok: true,
    url: `${shop.url}/ordered`,
    title: 'Thanks',
  })
  expect(await run.call('browser_extract', { selector: 'p' })).toMatchObject({
    text: 'who=Ada+%26+Bob&tea=Black',
  })
})

test('a field sends its form with Enter', async () => {
  await using shop = await startShop()
  const { startRun } = startableRuns({ allowHosts: [shop.host] })
  await using run = startRun()
  await run.call('browser_navigate', { url: shop.url })
  const sent = await run.call('browser_type', { selector: '#who', text: 'Ada', submit: true })
  expect(sent).toMatchObject({ url: `${shop.url}/ordered`, title: 'Thanks' })
})

test('a screenshot is a PNG of the size it says, and the model is told so in words', async () => {
  await using shop = await startShop()
  const { startRun } = startableRuns({ allowHosts: [shop.host] })
  await using run = startRun()
  await run.call('browser_navigate', { url: `${shop.url}/tall` })
  const screen = await run.call('browser_screenshot', {})
  expect(screen).toEqual({
    ok: true,
    url: `${shop.url}/tall`,
    title: '',
    screenshot: '/files/1',
    width: 1280,
    height: 800,
  })
  expect(await run.call('browser_screenshot', { fullPage: true })).toMatchObject({
    width: 1280,
    height: 2000,
  })
  for (const file of run.files) {
    expect(Buffer.from(file.subarray(0, 8)).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect(Buffer.from(file.subarray(-8, -4)).toString('latin1')).toBe('IEND')
  }
  const agent = { toolKeys: ['browser_screenshot'] }
  const { browser_screenshot: tool } = toolSetOf(
    testFrame({ run: testRunScope({ tools: browserTools() }), agent }),
  )
  const told = await tool?.toModelOutput?.({ toolCallId: 'call', input: {}, output: screen })
  expect(told).toEqual({
    type: 'text',
    value: `A screenshot of "" (${shop.url}/tall), 1280 by 800 pixels, is shown to the user.`,
  })
})

test('a link that opens a window leads there', async () => {
  await using shop = await startShop()
  const { startRun } = startableRuns({ allowHosts: [shop.host] })
  await using run = startRun()
  await run.call('browser_navigate', { url: shop.url })
  expect(await run.call('browser_click', { text: 'Another window' })).toMatchObject({ title: 'Other' })
})

test('calls that come at the same time happen one after the other; another agent has a page of its own', async () => {
  await using shop = await startShop()
  const { startRun } = startableRuns({ allowHosts: [shop.host] })
  await using run = startRun()
  const other = run.another()
  const [, , read, elsewhere] = await Promise.all([
    run.call('browser_navigate', { url: `${shop.url}/tall` }),
    run.call('browser_navigate', { url: shop.url }),
    run.call('browser_extract', {}),
    other.call('browser_navigate', { url: `${shop.url}/other` }),
  ])
  expect(read).toMatchObject({ title: 'Order' })
  expect(elsewhere).toMatchObject({ title: 'Other' })
  expect(await run.call('browser_extract', {})).toMatchObject({ title: 'Order' })
})

test('what cannot be done is said in a sentence that a model can act on', async () => {
  await using shop = await startShop()
  const { startRun } = startableRuns({ allowHosts: [shop.host] })
  await using run = startRun()
  const failures: string[] = []
  const fail = async (key: string, input: Record<string, unknown>) => {
    const error: unknown = await run.call(key, input).catch((reason: unknown) => reason)
    if (!(error instanceof Error) || !('code' in error)) throw new Error(`${key} did not fail as it should.`)
    failures.push(error.message)
    return error.code
  }
  expect(await fail('browser_extract', {})).toBe('no-page')
  expect(await fail('browser_navigate', { url: 'nonsense' })).toBe('invalid-url')
  expect(await fail('browser_navigate', { url: 'file:///etc/passwd' })).toBe('blocked-scheme')
  expect(await fail('browser_navigate', { url: 'chrome://version' })).toBe('blocked-scheme')
  expect(await fail('browser_navigate', { url: `${shop.url}/file` })).toBe('download')
  await run.call('browser_navigate', { url: shop.url })
  expect(await fail('browser_click', { selector: '#absent' })).toBe('element-not-found')
  expect(await fail('browser_click', { selector: ':::' })).toBe('invalid-selector')
  expect(await fail('browser_type', { selector: 'h1', text: 'x' })).toBe('element-not-usable')
  expect(await fail('browser_click', {})).toBe('element-not-found')
  await shop[Symbol.asyncDispose]()
  expect(await fail('browser_navigate', { url: shop.url })).toBe('network')
  for (const message of failures) {
    expect(message).toMatch(/^[A-Z].{10,250}\.$/)
    expect(message).not.toMatch(/\n|Call log|locator\(|node_modules|net::/)
  }
})
