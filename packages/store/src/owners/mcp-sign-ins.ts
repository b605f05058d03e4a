import type { OwnerId } from '@throughline/protocol'
import { succeeds } from '../database/confirmed-writes.ts'
import { readRows, type StoreDatabase, statement } from '../database/database.ts'
import { mcpSignInRow } from '../database/schema.ts'

/** Names the sign-in of one person at one MCP server. */
export interface McpSignInKey {
  readonly ownerId: OwnerId
  /** The name of the server in the configuration. */
  readonly server: string
}

/** How people have signed in at MCP servers. The content has tokens: nothing may show it or log it. */
export interface McpSignIns {
  /** Returns what is saved; `undefined` when there is nothing. */
  read(key: McpSignInKey): Promise<string | undefined>
  /**
   * Saves `body`, or removes what is saved when it is `undefined`. Does so only if `previous` is still what is saved, and
   * returns false otherwise. So two processes that renew the same tokens do not undo each other's work.
   */
  replace(
    key: McpSignInKey,
    change: { readonly previous: string | undefined; readonly body: string | undefined },
  ): Promise<boolean>
}

/** Returns the sign-ins in a database. */
export function createMcpSignIns(database: StoreDatabase): McpSignIns {
  const { build, sql } = database

  async function read({ ownerId, server }: McpSignInKey): Promise<string | undefined> {
    const select = build
      .selectFrom('mcp_sign_ins')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where('server', '=', server)
    return (await readRows(database, select, mcpSignInRow))[0]?.body
  }

  function writeOf(
    { ownerId, server }: McpSignInKey,
    previous: string | undefined,
    body: string | undefined,
  ) {
    if (previous === undefined) {
      const insert = build.insertInto('mcp_sign_ins').values({ owner_id: ownerId, server, body: body ?? '' })
      return statement(insert)
    }
    const isSaved = { owner_id: ownerId, server, body: previous }
    const change =
      body === undefined
        ? build.deleteFrom('mcp_sign_ins').where(({ and }) => and(isSaved))
        : build
            .updateTable('mcp_sign_ins')
            .set({ body })
            .where(({ and }) => and(isSaved))
    return statement(change, { mustChange: true })
  }

  return {
    read,

    async replace(key, { previous, body }) {
      if (previous === undefined && body === undefined) return (await read(key)) === undefined
      return succeeds(
        ['no-effect', 'constraint'],
        () => sql.write([writeOf(key, previous, body)]),
        async () => (await read(key)) === body,
      )
    },
  }
}
