import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../templates/react/dev.js', import.meta.url))

test('npm run dev chooses another port when 4000 is taken, for the agents and for the page', async () => {
  await using folder = await projectFolder()
  // Whether the port is ours or was taken before: it is taken.
  const other = createServer().listen(4000, '127.0.0.1')
  await Promise.race([once(other, 'listening'), once(other, 'error')])
  const { output } = await dev(folder.path, {})
  other.close()
  const [, port = ''] = /so the agents are at port (\d+)\./.exec(output) ?? []
  expect(Number(port)).toBeGreaterThan(4000)
  expect(output).toContain(`agents: port ${port}, development`)
  expect(output).toContain(`page: port ${port}, development`)
})

test('npm run dev ends with a sentence when the port of PORT is taken, and starts nothing', async () => {
  await using folder = await projectFolder()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const { code, output, errors } = await dev(folder.path, { PORT: port })
  other.close()
  expect(errors).toBe(
    `PORT: port ${port} is taken by another program. Stop that one, or set PORT to another port.\n`,
  )
  expect(output).toBe('')
  expect(code).toBe(1)
})

/** A project whose two programs say their port and end. */
async function projectFolder() {
  const folder = await temporaryFolder()
  const programs = { agents: 'throughline/bin/throughline.js', page: 'vite/bin/vite.js' }
  for (const [name, path] of Object.entries(programs)) {
    const file = join(folder.path, 'node_modules', path)
    await mkdir(join(file, '..'), { recursive: true })
    const says = `console.log('${name}: port', process.env.PORT + ',', process.env.NODE_ENV)`
    // The page waits for the end of its input, which the test closes when both have spoken.
    await writeFile(file, name === 'page' ? `${says}\nprocess.stdin.resume()` : says)
  }
  return folder
}

async function dev(cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [script], { cwd, env, stdio: 'pipe' })
  const ended = once(child, 'close')
  const [output, errors] = [text(child.stdout), text(child.stderr)]
  let seen = ''
  child.stdout.on('data', bytes => {
    seen += String(bytes)
    if (seen.includes('agents: port') && seen.includes('page: port')) child.stdin.end()
  })
  await ended
  return { code: child.exitCode, output: await output, errors: await errors }
}
