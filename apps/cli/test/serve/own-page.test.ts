import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/serve/create-throughline.ts'
import { startProgram } from '../start-program.ts'

test('the page that the configuration names is served in place of the own one, with settings from .env', async () => {
  await using folder = await temporaryFolder()
  await addPage(folder.path, 'My page')
  await writeFile(join(folder.path, 'throughline.config.ts'), `export default { page: 'dist' }`)
  await writeFile(join(folder.path, '.env'), 'PORT=1\nTHROUGHLINE_LOG=silent\nTHROUGHLINE_DATA=./kept\n')
  // What is set in the environment counts more than the file.
  const program = startProgram(['serve'], { PORT: '0' }, { cwd: folder.path })
  const said = await program.until('its data is in ./kept')
  const response = await fetch(/http:\S+/.exec(said)?.[0] ?? '')
  expect(await response.text()).toBe('<h1>My page</h1>')
  program.signal('SIGTERM')
  await program.ended
})

test.each([
  [
    'production',
    'There is no page in the folder "dist" yet, so only the HTTP interface is served. Build the page,',
  ],
  ['development', 'In development, the page comes from its own server. This one has the HTTP interface.'],
])('a page that is not built is told in %s, and the rest is served', async (mode, sentence) => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'throughline.config.ts'), `export default { page: 'dist' }`)
  const env = { PORT: '0', THROUGHLINE_LOG: 'silent', NODE_ENV: mode }
  const program = startProgram(['serve'], env, { cwd: folder.path })
  const said = await program.until('Throughline listens')
  expect(said).toContain(sentence)
  program.signal('SIGTERM')
  await program.ended
})

test('an application can serve a page of its own below its base path', async () => {
  await using folder = await temporaryFolder()
  await addPage(folder.path, 'Mine')
  const data = join(folder.path, 'data')
  await using throughline = await createThroughline({
    data,
    basePath: '/ai',
    page: join(folder.path, 'dist'),
    env: { THROUGHLINE_LOG: 'silent' },
  })
  const response = await throughline.fetch(new Request('http://localhost/ai'))
  expect(await response.text()).toBe('<h1>Mine</h1>')
})

test('a page that is not there is told in the log of the application, and the rest is served', async () => {
  await using folder = await temporaryFolder()
  const lines: string[] = []
  await using throughline = await createThroughline({
    data: join(folder.path, 'data'),
    basePath: '/ai',
    page: join(folder.path, 'dist'),
    env: {},
    logger: pino({ level: 'warn' }, { write: line => void lines.push(JSON.parse(line).msg) }),
  })
  expect(lines).toEqual([
    expect.stringMatching(/^There is no page in the folder ".*dist", so only the HTTP interface is served\./),
  ])
  expect((await throughline.fetch(new Request('http://localhost/ai/health'))).status).toBe(200)
})

async function addPage(folder: string, title: string): Promise<void> {
  await mkdir(join(folder, 'dist'))
  await writeFile(join(folder, 'dist/index.html'), `<h1>${title}</h1>`)
}
