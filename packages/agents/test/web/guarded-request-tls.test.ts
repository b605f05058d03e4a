import { createServer, type TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { guardedFetch } from '../../src/web/guard/guarded-request.ts'
import { startTcpServer } from './testing/local-server.ts'
import { selfSignedCertificate } from './testing/self-signed-certificate.ts'

const certificate = selfSignedCertificate('secure.example')

/** Sends these bytes on every connection, and records the server names that clients asked for. */
async function startTlsServer(response: string) {
  const names: (string | false | null)[] = []
  const server = createServer(certificate, (socket: TLSSocket) => {
    names.push(socket.servername)
    socket.on('error', () => {})
    socket.once('data', () => socket.end(response))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = () => new Promise<void>(resolve => server.close(() => resolve()))
  return { port, names, [Symbol.asyncDispose]: close }
}

const hello = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nhello'
const resolve = async () => ['127.0.0.1']

test('https goes to the checked address and asks for the name', async () => {
  await using server = await startTlsServer(hello)
  const options = { resolve, allowHosts: [`secure.example:${server.port}`], ca: certificate.cert }
  const page = await guardedFetch(`https://secure.example:${server.port}/`, options)
  expect(page.body.toString()).toBe('hello')
  expect(server.names).toEqual(['secure.example'])
})

test('a name with a final dot is the same name to TLS', async () => {
  await using server = await startTlsServer(hello)
  const options = { resolve, allowHosts: [`secure.example.:${server.port}`], ca: certificate.cert }
  expect((await guardedFetch(`https://secure.example.:${server.port}/`, options)).body.toString()).toBe(
    'hello',
  )
  expect(server.names).toEqual(['secure.example'])
})

test('a certificate that nobody signed is refused', async () => {
  await using server = await startTlsServer(hello)
  const options = { resolve, allowHosts: [`secure.example:${server.port}`] }
  await expect(guardedFetch(`https://secure.example:${server.port}/`, options)).rejects.toMatchObject({
    code: 'network',
    message: 'The connection to the server failed (DEPTH_ZERO_SELF_SIGNED_CERT).',
  })
  expect(server.names).toEqual([])
})

test.each(['other.example', '127.0.0.1'])('a certificate for another name than %s is refused', async host => {
  await using server = await startTlsServer(hello)
  const options = { resolve, allowHosts: [`${host}:${server.port}`], ca: certificate.cert }
  await expect(guardedFetch(`https://${host}:${server.port}/`, options)).rejects.toMatchObject({
    code: 'network',
    message: 'The connection to the server failed (ERR_TLS_CERT_ALTNAME_INVALID).',
  })
})

test('a redirect from https to http is not followed', async () => {
  await using server = await startTlsServer('HTTP/1.1 302 Found\r\nLocation: http://a.example/\r\n\r\n')
  const allowHosts = [`secure.example:${server.port}`, 'a.example']
  const options = { resolve, allowHosts, ca: certificate.cert }
  await expect(guardedFetch(`https://secure.example:${server.port}/`, options)).rejects.toMatchObject({
    code: 'blocked-scheme',
  })
})

test('https to a server without TLS, and http to one with it, are network errors', async () => {
  await using plain = await startTcpServer(socket => socket.end(hello))
  await using server = await startTlsServer(hello)
  for (const url of [`https://secure.example:${plain.port}/`, `http://secure.example:${server.port}/`]) {
    const options = { resolve, allowHosts: [new URL(url).host], ca: certificate.cert }
    await expect(guardedFetch(url, options)).rejects.toMatchObject({ code: 'network' })
  }
})
