import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { withSecretFiles } from '../../src/settings/secret-files.ts'
import { startProgram } from '../start-program.ts'

test('a secret may be in a file, and only such variables are looked at', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'key')
  await writeFile(path, '  the-key \n')
  const others = { PORT: '1', AWS_WEB_IDENTITY_TOKEN_FILE: '/no/such/file', THROUGHLINE_TOKENS_FILE: path }
  expect(withSecretFiles({ ...others, OPENAI_API_KEY_FILE: path, DATABASE_URL_FILE: '' })).toEqual({
    ...others,
    OPENAI_API_KEY: 'the-key',
  })
})

test.each([
  ['is missing', undefined, {}, 'the file cannot be read (ENOENT'],
  ['is empty', '\n', {}, 'is empty.'],
  ['has two lines', 'a\nb', {}, 'has more than one line.'],
  ['is not alone', 'a', { OPENAI_API_KEY: 'b' }, 'OPENAI_API_KEY is set, too. Set one of them.'],
])('a file that %s is refused', async (_, text, env, expected) => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'key')
  if (text !== undefined) await writeFile(path, text)
  const read = () => withSecretFiles({ ...env, OPENAI_API_KEY_FILE: path })
  expect(read).toThrow('OPENAI_API_KEY_FILE: ')
  expect(read).toThrow(expected)
})

test('the command takes secrets from files, says which one is wrong, and SIGHUP ends it cleanly', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'url')
  const env = { PORT: '0', THROUGHLINE_DATA: folder.path, THROUGHLINE_LOG: 'silent' }
  const missing = await startProgram(['serve'], { ...env, DATABASE_URL_FILE: path }).ended
  expect(missing).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^DATABASE_URL_FILE: the file .*\n$/),
  })
  await writeFile(path, 'mysql://host/database')
  const wrong = await startProgram(['serve'], { ...env, DATABASE_URL_FILE: path }).ended
  expect(wrong.errors).toContain('DATABASE_URL: "mysql://" is not Postgres.')
  const server = startProgram(['serve'], env)
  await server.until('Throughline listens at')
  server.signal('SIGHUP')
  expect(await server.ended).toMatchObject({ code: 0, signal: null, errors: '' })
})
