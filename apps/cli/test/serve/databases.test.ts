import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { until } from '@throughline/testing/waits/until'
import { describe, expect, test } from 'vitest'
import { assertConfig } from '../../src/config/check-config.ts'
import type { Config } from '../../src/config/config.ts'
import { createThroughline } from '../../src/serve/create-throughline.ts'
import { knownSecrets } from '../../src/serve/install.ts'
import { installedAgents } from '../../src/serve/installed-agents.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const insert = { sql: 'insert into orders (customer) values (?1)', params: ['Eve'] }

describe('with a database in the configuration,', () => {
  test('the master finds its tables and reads its rows', async () => {
    await using folder = await shopFolder()
    const { outputs } = await talk({ databases: { shop: { sqlite: folder.shop } } }, [
      ['shop_tables', {}],
      ['shop_describe', { table: 'orders' }],
      ['shop_select', { sql: 'select customer from orders where id = ?1', params: [2] }],
      ['shop_select', { sql: 'delete from orders' }],
      ['shop_describe', { table: 'nothing' }],
    ])
    expect(outputs).toEqual([
      { columns: ['name', 'type'], rows: [['orders', 'table']] },
      expect.objectContaining({ columns: expect.arrayContaining(['name', 'type']), constraints: [] }),
      { columns: ['customer'], rows: [['Ben']] },
      expect.stringContaining('SQLite: not authorized'),
      expect.stringContaining('There is no table "nothing". Call shop_tables for the names of all tables.'),
    ])
    expect(folder.customers()).toEqual(['Ann', 'Ben'])
  })

  test('there is no tool that writes', async () => {
    await using folder = await shopFolder()
    const shop = { sqlite: folder.shop }
    const { outputs } = await talk({ databases: { shop } }, [['shop_write', insert]])
    expect(outputs).toEqual([expect.stringContaining('shop_write')])
    expect(folder.customers()).toEqual(['Ann', 'Ben'])
  })

  test.each([
    [true, ['Ann', 'Ben', 'Eve']],
    [false, ['Ann', 'Ben']],
  ])('a write happens only when a person approves it: %j', async (approved, customers) => {
    await using folder = await shopFolder()
    const config = { databases: { shop: { sqlite: folder.shop } }, approvals: { shop_write: true } } as const
    const { outputs } = await talk(config, [['shop_write', insert]], approved)
    expect(outputs).toEqual(approved ? [{ changedRows: 1 }] : [])
    expect(folder.customers()).toEqual(customers)
  })

  test('an agent has only the tools that it names', async () => {
    await using folder = await shopFolder()
    const shop = { sqlite: folder.shop }
    const { outputs } = await talk({ databases: { shop }, master: { toolKeys: ['shop_tables'] } }, [
      ['shop_select', { sql: 'select 1' }],
    ])
    expect(outputs).toEqual([expect.stringContaining('shop_select')])
  })
})

describe('the server does not start', () => {
  test.each<[unknown, RegExp]>([
    [{ shop: { sqlite: 'gone.db' } }, /databases\.shop: there is no such file/],
    [{ shop: { sqlite: 'a.db', maxRow: 3 } }, /databases\.shop: .*maxRow/],
    [{ shop: { sqlite: 'a.db', timeoutMs: 1 } }, /databases\.shop: "timeoutMs" is not as expected/],
    [
      { shop: { postgres: 'mysql://a:hidden@b/c' } },
      /databases\.shop: "postgres" is not as expected(?!.*hidden)/,
    ],
    [{ 'my shop': { sqlite: 'a.db' } }, /databases\.my shop: the name of a database/],
    [{ shop: {} }, /databases\.shop/],
    [{ shop: { postgres: 'postgres://x:y@db.example/app?a=1' } }, /own database/],
    [{ shop: { postgres: 'postgresql://x:y@DB.example:5432/%61pp' } }, /own database/],
  ])('with %j', async (databases, problem) => {
    await expect(install({ databases }, { DATABASE_URL: 'postgres://me:pw@db.example/app' })).rejects.toThrow(
      problem,
    )
  })

  test('with a file of its own data, or with an approval that does not ask for every call', async () => {
    await using folder = await shopFolder()
    const databases = { shop: { sqlite: folder.shop } }
    await expect(install({ databases }, { THROUGHLINE_DATA: folder.path })).rejects.toThrow(/own database/)
    await expect(install({ databases, approvals: { shop_write: () => false } })).rejects.toThrow(
      /approvals\.shop_write: a person must approve every call/,
    )
    // In an application, options say where the data are.
    await expect(createThroughline({ data: folder.path, databases, env: {} })).rejects.toThrow(/own database/)
    const tools = { shop_select: { inputSchema: {}, execute: () => 1 } }
    await expect(install({ databases, tools })).rejects.toThrow(/there is a tool of this key already/)
  })
})

test('the password of a database is a secret', () => {
  const databases = { crm: { postgres: 'postgres://reader:pass-word-7@db.example/crm' } }
  expect(knownSecrets({}, { databases })).toContain('pass-word-7')
})

test('the configuration in the guide reads a database', async () => {
  await using folder = await shopFolder()
  const guide = await readFile(join(root, 'docs/guides/databases.md'), 'utf8')
  const place = join(folder.path, 'project')
  await mkdir(place)
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'), 'dir')
  await symlink(folder.shop, join(place, 'shop.db'))
  await writeFile(join(place, 'package.json'), '{ "type": "module" }')
  await writeFile(join(place, 'throughline.config.ts'), guide.split('```ts\n')[1]?.split('```')[0] ?? '')
  const program = fileURLToPath(new URL('../guides/guide-program.ts', import.meta.url))
  const input = JSON.stringify({ sql: 'select count(*) as orders from orders' })
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'shop_select', input], {
    cwd: place,
  })
  expect(stdout).toContain('"output":{"columns":["orders"],"rows":[[2]]}')
})

/** A folder with the database of a shop. */
async function shopFolder() {
  const folder = await temporaryFolder()
  const shop = join(folder.path, 'shop.db')
  using database = new DatabaseSync(shop)
  database.exec(
    "create table orders (id integer primary key, customer text); insert into orders (customer) values ('Ann'), ('Ben')",
  )
  const customers = () => {
    using opened = new DatabaseSync(shop)
    return opened
      .prepare('select customer from orders order by id')
      .all()
      .map(({ customer }) => customer)
  }
  return { path: folder.path, shop, customers, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

/** Asks a master that makes these calls, and returns what they gave. */
async function talk(config: Config, calls: readonly (readonly [string, unknown])[], approved = true) {
  const turns = calls.map(([key, input], index) => [calling(key, input, `call-${index}`)])
  const model = scriptedModel({ master: [...turns, [saying('Done.')]] })
  const { closeTools, ...installation } = await install(config, {}, model)
  await using server = await startTestServer(installation)
  const stream = new SseBytes(await ask(server.url))
  if (config.approvals !== undefined) {
    while (!stream.bytes.includes('"approvalId"')) await stream.more()
    await decide(server.url, approvalIn(stream.bytes), { approved })
  }
  while (!stream.bytes.includes('[DONE]')) await stream.more()
  // The stream of a stock client ends where a person is asked.
  await until(async () => (await loadAnswer(server.url)).metadata?.status !== 'streaming')
  await stream[Symbol.asyncDispose]()
  await closeTools()
  const outputs = (await readLog(server.url)).flatMap(({ chunk }): unknown[] => {
    if (chunk.type === 'tool-output-available') return [chunk.output]
    return chunk.type === 'tool-output-error' || chunk.type === 'tool-input-error' ? [chunk.errorText] : []
  })
  return { outputs }
}

function install(config: unknown, env: Readonly<Record<string, string>> = {}, model = scriptedModel({})) {
  return (async () => {
    assertConfig(config)
    const master = typeof config.master === 'string' ? {} : config.master
    const complete: Config = {
      ...config,
      master: { name: 'master', instructions: 'You are master.', ...master },
    }
    return installedAgents(
      complete,
      { name: 'test', model },
      {
        env,
        ownData: { folder: env['THROUGHLINE_DATA'] ?? 'data', url: env['DATABASE_URL'] },
        hideSecrets: text => text,
        report: () => undefined,
        note: () => undefined,
        warn: () => undefined,
      },
    )
  })()
}
