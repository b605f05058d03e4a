// `npm run dev`: starts the server of the agents, and Vite for the page. When one of them ends, the other one ends, too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'

if (existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'development'
// The server of the agents logs every run. While you develop, warnings are enough.
process.env.THROUGHLINE_LOG ??= 'warn'
// Both programs read it: Vite passes requests for /api on to this port.
process.env.PORT = await agentsPort()

const programs = [
  // With --watch it starts again when you have changed an agent, a tool or the configuration.
  ['--watch', '--watch-preserve-output', 'node_modules/throughline/bin/throughline.js', 'serve'],
  ['node_modules/vite/bin/vite.js', ...process.argv.slice(2)],
]
const children = programs.map(words => spawn(process.execPath, words, { stdio: 'inherit' }))

for (const child of children) {
  child.on('exit', code => {
    process.exitCode ??= code ?? 1
    endAll()
  })
}
process.on('SIGTERM', endAll)
// A terminal sends Ctrl-C to all three processes.
process.on('SIGINT', () => process.stdin.isTTY || endAll())

function endAll() {
  for (const child of children) child.kill()
}

/** Returns the port that you have chosen, or the first free one from 4000 on. */
async function agentsPort() {
  const chosen = process.env.PORT
  if (chosen) {
    if (await isFree(Number(chosen))) return chosen
    console.error(
      `PORT: port ${chosen} is taken by another program. Stop that one, or set PORT to another port.`,
    )
    process.exit(1)
  }
  for (let port = 4000; port < 4100; port += 1) {
    if (!(await isFree(port))) continue
    if (port > 4000) console.log(`Port 4000 is taken by another program, so the agents are at port ${port}.`)
    return String(port)
  }
  console.error('The ports 4000 to 4099 are all taken. Set PORT to another port.')
  process.exit(1)
}

async function isFree(port) {
  const server = createServer()
  try {
    server.listen(port, process.env.HOST || '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    // The server of the agents explains every other problem.
    return error.code !== 'EADDRINUSE'
  }
  server.close()
  await once(server, 'close')
  return true
}
