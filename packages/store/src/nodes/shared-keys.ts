import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { confirmed } from '../database/confirmed-writes.ts'
import { type StoreDatabase, statement } from '../database/database.ts'

/** Secrets that all processes which share a store have in common, so that each can check what another one has signed. */
export interface SharedKeys {
  /** Returns the key of this name: 32 bytes. Makes it if there is none. */
  of(name: string): Promise<Buffer>
}

/** Returns the shared keys in a database. */
export function createSharedKeys({ build, sql }: StoreDatabase): SharedKeys {
  return {
    async of(name) {
      const make = build
        .insertInto('shared_keys')
        .values({ name, key: randomBytes(32).toString('hex') })
        .onConflict(conflict => conflict.column('name').doNothing())
      const find = build.selectFrom('shared_keys').select('key').where('name', '=', name)
      const [, rows = []] = await confirmed(() => sql.write([statement(make), statement(find)]))
      const [{ key }] = z.tuple([keyRow]).parse(rows)
      return Buffer.from(key, 'hex')
    },
  }
}

const keyRow = z.object({ key: z.string().length(64) })
