// `npm run dev`: starts the server of the agents, and Vite for the page. When one of them ends, the other one ends, too.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile()
// The server of the agents logs every run. While you develop, warnings are enough.
process.env.THROUGHLINE_LOG ??= 'warn'

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
