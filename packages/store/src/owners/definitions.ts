import type { OwnerId } from '@throughline/protocol'
import { z } from 'zod'
import { deletes, succeeds } from '../database/confirmed-writes.ts'
import { readRows, type StoreDatabase, statement } from '../database/database.ts'
import { type Schema, subAgentRow } from '../database/schema.ts'

/** Names a definition. Without a workspace, the definition counts in all workspaces of its owner. */
export interface DefinitionKey {
  readonly workspaceId?: string | undefined
  readonly name: string
}

/** A sub-agent that a user defines. The store does not know what `fields` mean. */
export interface DefinitionDraft extends DefinitionKey {
  readonly id: string
  readonly enabled: boolean
  readonly fields: Readonly<Record<string, unknown>>
  /** In ISO format. */
  readonly updatedAt: string
}

/** A definition in the store. */
export interface StoredDefinition extends DefinitionDraft {
  /** Begins with 1. Each change adds 1. */
  readonly version: number
}

/** The definitions of each owner. Another owner's definition does not exist here. */
export interface Definitions {
  /** Returns the definitions of all workspaces, sorted by name. */
  list(ownerId: OwnerId): Promise<readonly StoredDefinition[]>
  /** Returns `undefined` when there is no such definition. */
  get(ownerId: OwnerId, key: DefinitionKey): Promise<StoredDefinition | undefined>
  /** Returns the saved definition, or `undefined` when its workspace already has a definition of this name. */
  create(ownerId: OwnerId, draft: DefinitionDraft): Promise<StoredDefinition | undefined>
  /** Replaces exactly this version. Returns `undefined` when there is another version by now, or no definition. */
  update(
    ownerId: OwnerId,
    draft: DefinitionDraft,
    replaced: { readonly version: number },
  ): Promise<StoredDefinition | undefined>
  /** Returns false when there is no such definition. */
  remove(ownerId: OwnerId, key: DefinitionKey): Promise<boolean>
}

/** Returns the definitions in a database. */
export function createDefinitions(database: StoreDatabase): Definitions {
  const { build, sql } = database
  const ofOwner = (ownerId: OwnerId) =>
    build.selectFrom('sub_agents').selectAll().where('owner_id', '=', ownerId)

  /** Returns whether a write that nobody confirmed has taken effect. */
  async function isSaved(
    ownerId: OwnerId,
    { id, version, updatedAt }: Pick<StoredDefinition, 'id' | 'version' | 'updatedAt'>,
  ): Promise<boolean> {
    const query = ofOwner(ownerId)
      .where('id', '=', id)
      .where('version', '=', version)
      .where('updated_at', '=', updatedAt)
    return (await readRows(database, query, subAgentRow)).length > 0
  }

  return {
    async list(ownerId) {
      const query = ofOwner(ownerId).orderBy('name').orderBy('workspace_id')
      return (await readRows(database, query, subAgentRow)).map(definitionFromRow)
    },

    async get(ownerId, { name, workspaceId = '' }) {
      const query = ofOwner(ownerId).where('workspace_id', '=', workspaceId).where('name', '=', name)
      const [row] = await readRows(database, query, subAgentRow)
      return row === undefined ? undefined : definitionFromRow(row)
    },

    async create(ownerId, draft) {
      const { id, name, workspaceId = '' } = draft
      const row = { owner_id: ownerId, id, name, workspace_id: workspaceId, version: 1, ...columnsOf(draft) }
      const insert = build.insertInto('sub_agents').values(row)
      const isMade = await succeeds(
        'constraint',
        () => sql.write([statement(insert)]),
        () => isSaved(ownerId, { id, version: 1, updatedAt: draft.updatedAt }),
      )
      return isMade ? { ...draft, version: 1 } : undefined
    },

    async update(ownerId, draft, replaced) {
      const { id, name, workspaceId = '' } = draft
      const version = replaced.version + 1
      const update = build
        .updateTable('sub_agents')
        .set({ version, ...columnsOf(draft) })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .where('name', '=', name)
        .where('version', '=', replaced.version)
      const isReplaced = await succeeds(
        'no-effect',
        () => sql.write([statement(update, { mustChange: true })]),
        () => isSaved(ownerId, { id, version, updatedAt: draft.updatedAt }),
      )
      return isReplaced ? { ...draft, version } : undefined
    },

    remove(ownerId, { name, workspaceId = '' }) {
      const remove = build
        .deleteFrom('sub_agents')
        .where('owner_id', '=', ownerId)
        .where('workspace_id', '=', workspaceId)
        .where('name', '=', name)
      return deletes(() => sql.write([statement(remove, { mustChange: true })]))
    },
  }
}

function columnsOf({ enabled, fields, updatedAt }: DefinitionDraft) {
  return { enabled: enabled ? 1 : 0, definition: JSON.stringify(fields), updated_at: updatedAt }
}

const fieldsSchema = z.record(z.string(), z.unknown())

function definitionFromRow(row: Schema['sub_agents']): StoredDefinition {
  const { id, name, workspace_id, version, updated_at } = row
  return {
    id,
    name,
    ...(workspace_id === '' ? {} : { workspaceId: workspace_id }),
    enabled: row.enabled === 1,
    fields: fieldsSchema.parse(JSON.parse(row.definition)),
    version,
    updatedAt: updated_at,
  }
}
