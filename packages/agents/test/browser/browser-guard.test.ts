import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { expect, test } from 'vitest'
import { BrowserGate } from '../../src/browser/browser-gate.ts'
import { startCanary, startLocalServer } from '../web/testing/local-server.ts'
import { selfSignedCertificate } from '../web/testing/self-signed-certificate.ts'
import { startableRuns } from './testing/browser-run.ts'

/** Counts packets, where none may ever arrive. */
async function startPacketCanary() {
  const socket = createSocket('udp4')
  let packets = 0
  socket.on('message', () => {
    packets += 1
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    get packets() {
      return packets
    },
    [Symbol.dispose]: () => void socket.close(),
  }
}

/** Tries every way out it knows to one host, and says when all of them have come to an end. */
const hostilePage = (host: string, udpPort: number) => `<!doctype html><title>trying</title>
  <link rel="preconnect" href="http://${host}"><link rel="dns-prefetch" href="http://${host}">
  <link rel="stylesheet" href="http://${host}/a.css"><script src="http://${host}/a.js"></script>
  <img src="http://${host}/a.png"><img src="/to-canary"><iframe src="http://${host}/"></iframe>
  <iframe src="/to-canary"></iframe><video src="http://${host}/a.mp4"></video>
  <script>
    const ended = start => new Promise(resolve => start(resolve))
    const worker = 'fetch("http://${host}/worker").catch(() => 0).then(() => postMessage("done"))'
    const call = new RTCPeerConnection({ iceServers: [
      { urls: 'stun:127.0.0.1:${udpPort}' },
      { urls: ['turn:${host}?transport=tcp', 'turn:127.0.0.1:${udpPort}'], username: 'u', credential: 'c' },
    ] })
    call.createDataChannel('x')
    call.createOffer().then(offer => call.setLocalDescription(offer))
    Promise.all([
      fetch('http://${host}/fetch').catch(() => 0),
      fetch('/to-canary').catch(() => 0),
      fetch('http://${host}/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => 0),
      ended(done => { new EventSource('http://${host}/events').onerror = done }),
      ended(done => { new WebSocket('ws://${host}/socket').onclose = done }),
      ended(done => { new WebSocket('wss://${host}/socket').onclose = done }),
      ended(done => { new Worker(URL.createObjectURL(new Blob([worker]))).onmessage = done }),
      ended(done => {
        call.onicegatheringstatechange = () => call.iceGatheringState === 'complete' && done()
      }),
      navigator.serviceWorker?.register('/sw.js').catch(() => 0),
    ]).then(() => { navigator.sendBeacon('http://${host}/beacon', 'x'); document.title = 'tried' })
    document.addEventListener('click', () => open('http://${host}/window'))
  </script><a id="leave" href="http://${host}/leave">leave</a><a id="tried" href="/end">end</a>`

test('a page reaches no address that is not allowed, whichever way it tries', async () => {
  await using canary = await startCanary()
  using packets = await startPacketCanary()
  const closed = `127.0.0.1:${canary.port}`
  await using front = await startLocalServer((request, response) => {
    if (request.url === '/to-canary') response.writeHead(302, { location: `http://${closed}/` }).end()
    else response.setHeader('content-type', 'text/html').end(hostilePage(closed, packets.port))
  })
  const { startRun, browsers } = startableRuns({ allowHosts: [front.host] })
  await using run = startRun()
  expect(await run.call('browser_navigate', { url: front.url })).toMatchObject({ ok: true })
  const page = browsers[0]?.contexts()[0]?.pages()[0]
  // A browser whose packets get out waits for responses that never come.
  const outcome = async () => (packets.packets > 0 ? 'packets got out' : page?.title())
  await expect.poll(outcome, { timeout: waitLimitMs() }).toBe('tried')
  const refused = { code: 'blocked-address' }
  await expect(run.call('browser_click', { selector: '#leave' })).rejects.toMatchObject(refused)
  await expect(run.call('browser_navigate', { url: `http://${closed}/` })).rejects.toMatchObject(refused)
  await expect(run.call('browser_navigate', { url: `${front.url}/to-canary` })).rejects.toMatchObject(refused)
  await run.end()
  expect(canary.connections).toBe(0)
  expect(packets.packets).toBe(0)
})

test('no window, frame or redirect of a browser opens a file, also when no tool has checked the address', async () => {
  const file = 'file:///etc/passwd'
  await using front = await startLocalServer((request, response) => {
    if (request.url === '/hop') response.writeHead(302, { location: file }).end()
    else response.setHeader('content-type', 'text/html').end(`<iframe src="${file}"></iframe><p>web</p>`)
  })
  const { startRun, browsers } = startableRuns({ allowHosts: [front.host] })
  await using run = startRun()
  await run.call('browser_navigate', { url: front.url })
  const context = browsers[0]?.contexts()[0]
  const [opened] = context?.pages() ?? []
  // Closed with its run: a browser may ignore a request to close a page that is just then showing an error.
  const page = await context?.newPage()
  for (const url of [file, `view-source:${file}`, 'file://localhost/etc/passwd', `${front.url}/hop`])
    await expect(page?.goto(url)).rejects.toThrow(/ERR_(BLOCKED_BY_CLIENT|UNSAFE_REDIRECT)/)
  await opened?.evaluate(address => {
    window.open(address)
    location.href = address
  }, file)
  const frames = context?.pages().flatMap(each => each.frames()) ?? []
  expect(frames.length).toBeGreaterThan(1)
  expect(frames.filter(frame => frame.url().startsWith('file:'))).toEqual([])
  expect(await opened?.content()).toContain('web')
  await expect(run.call('browser_navigate', { url: file })).rejects.toMatchObject({ code: 'blocked-scheme' })
})

test('a name is reached at the address that was checked, and never looked up by the browser', async () => {
  await using canary = await startCanary()
  const asked: string[] = []
  // The first answer is public, every later one is this machine: what a hostile name server does.
  const resolve = async (host: string) => {
    asked.push(host)
    return asked.length <= 1 ? ['93.184.215.14'] : ['127.0.0.1']
  }
  const connected: unknown[] = []
  const { startRun } = startableRuns({ resolve, connect: notConnecting(connected) })
  await using run = startRun()
  const opened = run.call('browser_navigate', { url: `http://rebinding.example:${canary.port}/` })
  await expect(opened).rejects.toMatchObject({ code: 'blocked-address' })
  expect(asked).toEqual(['rebinding.example', 'rebinding.example'])
  expect(connected).toEqual([])
  expect(canary.connections).toBe(0)
})

test('what the operator allows by name works in every way, WebSockets included', async () => {
  await using front = await startLocalServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    if (request.url === '/hop') response.writeHead(302, { location: '/' }).end()
    else if (request.url === '/data') response.end('data')
    else response.end(friendlyPage)
  })
  const { startRun, browsers } = startableRuns({ allowHosts: [front.host] })
  await using run = startRun()
  expect(await run.call('browser_navigate', { url: `${front.url}/hop` })).toMatchObject({
    url: `${front.url}/`,
  })
  const page = browsers[0]?.contexts()[0]?.pages()[0]
  await page?.waitForFunction(() => document.title === 'data and a socket')
  // The socket came through, as far as a server that speaks none lets it.
  expect(front.requests.some(({ headers }) => headers.upgrade === 'websocket')).toBe(true)
  expect(front.requests.every(({ headers }) => headers['proxy-authorization'] === undefined)).toBe(true)
})

const friendlyPage = `<script>
  const closed = new Promise(done => { new WebSocket('ws://' + location.host + '/socket').onclose = done })
  Promise.all([fetch('/data').then(answer => answer.text()), closed]).then(([data]) => { document.title = data + ' and a socket' })
</script>`

test('https goes through a tunnel in which the browser itself checks the certificate', async () => {
  const { key, cert } = selfSignedCertificate('127.0.0.1')
  let handshakes = 0
  const site = createServer({ key, cert }).on('tlsClientError', () => {
    handshakes += 1
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  const address: AddressInfo | string | null = site.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const { startRun } = startableRuns({ allowHosts: [host] })
  await using run = startRun()
  const opened = run.call('browser_navigate', { url: `https://${host}/` })
  // How far it got before it said no is the browser's; that it said no to the site's own certificate is ours to see.
  await expect(opened).rejects.toThrow(/ERR_(CERT|SSL)_/)
  expect(handshakes).toBeGreaterThan(0)
  site.close()
})

test('a run loads so many bytes and no more, and the limit is named', async () => {
  await using front = await startLocalServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(request.url === '/large' ? '.'.repeat(300_000) : '<title>Small</title>')
  })
  const { startRun } = startableRuns({ allowHosts: [front.host], maxBytes: 100_000 })
  await using run = startRun()
  expect(await run.call('browser_navigate', { url: front.url })).toMatchObject({ title: 'Small' })
  const full = { code: 'too-large', message: expect.stringContaining('100000 bytes') }
  await expect(run.call('browser_navigate', { url: `${front.url}/large` })).rejects.toMatchObject(full)
  await expect(run.call('browser_navigate', { url: front.url })).rejects.toMatchObject(full)
})

test('the way out of the browser is closed to other programs', async () => {
  await using front = await startLocalServer((_, response) => response.end('secret'))
  const gate = new BrowserGate({ allowHosts: [front.host] })
  const { server } = await gate.open()
  for (const headers of [{}, { 'proxy-authorization': 'Basic Z2F0ZTo=' }]) {
    const asked = request(server, { path: front.url, headers }).end()
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).toBe(407)
    asked.destroy()
    const tunnel = request(server, { method: 'CONNECT', path: front.host, headers }).end()
    const [refusal] = await once(tunnel, 'connect')
    expect(refusal.statusCode).toBe(407)
    tunnel.destroy()
  }
  expect(front.requests).toHaveLength(0)
  gate.close()
})

function notConnecting(connected: unknown[]) {
  return (options: unknown): never => {
    connected.push(options)
    throw new Error('Nothing may be connected here.')
  }
}
