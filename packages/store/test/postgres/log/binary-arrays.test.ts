import { testDatabase } from '@throughline/testing/postgres/test-database'
import fc from 'fast-check'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { bigintArray, textArray } from '../../../src/postgres/log/append-query.ts'

test('Postgres reads the texts that were written, missing ones too', async () => {
  await using postgres = await connect()
  // Postgres has no text with the character 0.
  const text = fc.string({ unit: 'binary' }).filter(value => !value.includes('\0'))
  const texts = fc.array(fc.option(text))
  await fc.assert(
    fc.asyncProperty(texts, async values => {
      expect(await postgres.read('select * from unnest($1::text[])', textArray(values))).toEqual(values)
    }),
  )
})

test('Postgres reads the numbers that were written', async () => {
  await using postgres = await connect()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.maxSafeInteger()), async values => {
      const read = await postgres.read('select * from unnest($1::bigint[])', bigintArray(values))
      expect(read.map(Number)).toEqual(values)
    }),
  )
})

async function connect() {
  const database = await testDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  return {
    /** Returns the first column. */
    async read(query: string, value: Buffer): Promise<readonly unknown[]> {
      const { rows } = await client.query<unknown[]>({ text: query, values: [value], rowMode: 'array' })
      return rows.map(row => row[0])
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await database[Symbol.asyncDispose]()
    },
  }
}
