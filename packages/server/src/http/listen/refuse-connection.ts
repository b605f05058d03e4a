import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError } from '@hono/node-server'
import { ProblemError } from '@throughline/protocol'
import type { Logger } from 'pino'
import { problemResponse } from '../request/problems.ts'

/**
 * Responds with a problem to what never becomes a request (broken HTTP, CONNECT, upgrades), and closes the
 * connection.
 */
export function refuseBrokenConnections(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket, clientProblem(error.code)),
  )
  server.on('connect', (_, socket) => {
    refuse(socket, new ProblemError(405, 'no-proxy', 'This server is no proxy. Send ordinary HTTP requests.'))
  })
  server.on('upgrade', (_, socket) => {
    refuse(
      socket,
      new ProblemError(
        400,
        'no-upgrade',
        'This server speaks HTTP/1.1 only. Streams are server-sent events.',
      ),
    )
  })
  server.on('checkExpectation', (_, response) => {
    const problem = new ProblemError(
      417,
      'unknown-expectation',
      'The Expect header asks for what this server does not do.',
    )
    const body = JSON.stringify(problem.toProblem())
    const headers = { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) }
    response.writeHead(417, headers).end(body)
  })
}

/** Returns a function that responds to requests whose URL cannot be read. */
export function refuseRequest(logger: Logger): (error: unknown) => Response {
  return error => {
    if (error instanceof RequestError) {
      return problemResponse(
        new ProblemError(400, 'invalid-request', 'The Host header or the path of the request is not valid.'),
      )
    }
    logger.error({ err: error }, 'request failed')
    return problemResponse(new ProblemError(500, 'internal', 'The server failed to respond.'))
  }
}

function clientProblem(code: string | undefined): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ProblemError(
      431,
      'headers-too-large',
      'The request headers are too large. Send fewer or shorter ones.',
    )
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ProblemError(408, 'request-timeout', 'The request took too long to arrive. Send it again.')
  }
  return new ProblemError(400, 'invalid-http', 'This is not a valid HTTP/1.1 request.')
}

function refuse(socket: Duplex, error: ProblemError): void {
  socket.on('error', () => socket.destroy())
  if (!socket.writable) return void socket.destroy()
  const problem = error.toProblem()
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
