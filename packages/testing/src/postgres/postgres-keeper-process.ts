// Runs Postgres servers for its parent process, and ends all of them when the parent closes the channel, or dies.
import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { isKeeperRequest, type KeeperReport } from './postgres-keeper-messages.ts'

const [, , folder = ''] = process.argv
const servers = new Map<number, ChildProcess>()

process.on('message', request => {
  if (!isKeeperRequest(request)) return
  if (request.type === 'signal') return void servers.get(request.id)?.kill(request.signal)
  const { id, program, words, user } = request
  let output = ''
  const server = spawn(program, words, { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  servers.set(id, server)
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    // Only the reason of a failed start is of interest.
    output = (output + text).slice(-4_000)
  })
  server.once('close', () => {
    servers.delete(id)
    report({ type: 'ended', id, output })
  })
})

process.once('disconnect', async () => {
  const ended = [...servers.values()].map(server => new Promise(resolve => server.once('close', resolve)))
  // An immediate stop: nobody needs the data any more.
  for (const server of servers.values()) server.kill('SIGQUIT')
  await Promise.all(ended)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
})

function report(message: KeeperReport): void {
  if (process.connected) process.send?.(message)
}
