/** What SQLite and Postgres write differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** An expression: the text at a path in a column of JSON. Null when there is none. */
  jsonText(column: string, path: readonly string[]): string
  /** A condition: a column of JSON has an object with this key. */
  hasJsonKey(column: string, key: string): string
  /** An expression: the values of a column of all rows in this order, as one list in JSON. */
  jsonList(column: string, order: string): string
  /**
   * An expression: the values of several columns of all rows, as a list in JSON with a list for each row. It is `[]` without
   * rows. The rows are in no order: sorting them here would cost half as much again.
   */
  jsonRows(columns: readonly string[]): string
  /**
   * A table with these columns of text. Its rows come from one parameter: a list in JSON, with a list of texts for each row.
   * So the text of a statement is the same for any number of rows.
   */
  textRows(columns: readonly string[]): string
  /** The operator that compares a text with a pattern. The letters A to Z match in either case. */
  readonly like: 'like' | 'ilike'
  /** An expression: a text that names the row of a table until somebody changes it, whatever its columns contain. */
  rowName(table: string): string
  /** A condition with one parameter: the row of the table has this name. */
  isRow(table: string): string
  /** An expression: the time by the clock of the database, in milliseconds since 1970. */
  readonly now: string
  /**
   * An expression on `logs` and `channel_chats`: the last entry of the log that the channel has. A log that was removed and
   * made again has another epoch, and nothing of it has been delivered. Epochs in positions begin with that of the rows, and
   * end with the generation of the log: what was delivered in an earlier generation must not be delivered again.
   */
  readonly delivered: string
  /**
   * Selects a row if the log with this name has the entry with this number. `undefined` where log and rows cannot lose their
   * newest changes apart.
   */
  readonly logHas: string | undefined
  /** Selects the chats in channels whose log has entries that were not delivered. */
  readonly undelivered: string
}

const sqliteDelivered =
  'case when substr(delivered_epoch, 1, length(logs.epoch)) = logs.epoch then delivered_seq else 0 end'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  jsonText: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
  hasJsonKey: (column, key) => `json_type(${column}, '$.${key}') is not null`,
  jsonList: (column, order) => `json_group_array(${column} order by ${order})`,
  jsonRows: columns => `json_group_array(json_array(${columns.join(', ')}))`,
  textRows: columns =>
    `(select ${columns.map((column, index) => `json_extract(value, '$[${index}]') as ${column}`).join(', ')}
      from json_each(?))`,
  like: 'like',
  rowName: table => `cast(${table}.rowid as text)`,
  isRow: table => `${table}.rowid = cast(? as integer)`,
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  delivered: sqliteDelivered,
  logHas: undefined,
  // The newest entries are in the tail.
  undelivered: `with tails as (select epoch, max(seq + count - 1) as seq from log_tail group by epoch)
    select channel_chats.* from channel_chats
    join logs on logs.name = channel_chats.owner_id || '/' || channel_chats.chat_id
    left join tails on tails.epoch = logs.epoch
    where max(coalesce(tails.seq, 0), logs.seq) > ${sqliteDelivered}`,
}

const postgresDelivered = 'case when starts_with(delivered_epoch, logs.epoch) then delivered_seq else 0 end'

export const postgresDialect: Dialect = {
  name: 'postgres',
  jsonText: (column, path) => `${readableJson(column)} #>> '{${path.join(',')}}'`,
  hasJsonKey: (column, key) => `${readableJson(column)} -> '${key}' is not null`,
  jsonList: (column, order) => `cast(coalesce(json_agg(${column} order by ${order}), '[]') as text)`,
  jsonRows: columns => `cast(coalesce(json_agg(json_build_array(${columns.join(', ')})), '[]') as text)`,
  textRows: columns =>
    `(select ${columns.map((column, index) => `value ->> ${index} as ${column}`).join(', ')}
      from json_array_elements(cast(? as json)))`,
  like: 'ilike',
  rowName: table => `cast(${table}.ctid as text)`,
  isRow: table => `${table}.ctid = cast(? as tid)`,
  now: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
  delivered: postgresDelivered,
  logHas: `select log_entries.seq from logs join log_entries on log_entries.epoch = logs.epoch
    where logs.name = ? and log_entries.seq = ?`,
  undelivered: `select channel_chats.* from channel_chats
    join logs on logs.name = channel_chats.owner_id || '/' || channel_chats.chat_id
    where exists (select 1 from log_entries
      where log_entries.epoch = logs.epoch and log_entries.seq > ${postgresDelivered})`,
}

/**
 * Postgres refuses to look into JSON with U+0000 or half of a surrogate pair anywhere in it. `JSON.stringify` writes both
 * as `\u` and four digits. Here other digits take their place: no id contains such characters, and only ids are read.
 */
function readableJson(column: string): string {
  return `cast(regexp_replace(${column}, '\\\\u(?:0000|d[89a-f]..)', '\\\\u0020', 'g') as json)`
}
