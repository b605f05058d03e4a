/**
 * The tables of the log in Postgres, for the list of migrations.
 *
 * The end of a log is its last entry, or `trimmed` if all of them were trimmed. So a log has no row that every append
 * must change. The chunk is `text`, not `jsonb`: its bytes never change.
 */
export const logTables: readonly string[] = [
  // `timeline` is that of the server when the log was last opened. `generation` is the end of the epoch in positions: see
  // log-origin.ts.
  `create table logs (
    name text primary key,
    epoch text not null unique,
    fence bigint not null,
    trimmed bigint not null default 0,
    timeline text not null default '',
    generation text not null default ''
  )`,
  `create table log_entries (
    epoch text not null,
    seq bigint not null,
    at bigint not null,
    run_id text not null,
    message_id text not null,
    chunk text not null,
    primary key (epoch, seq)
  )`,
  // The entries up to `up_to` are waiting to be deleted.
  'create table log_removals (epoch text primary key, up_to bigint not null)',
]

/** What was added later. `origin` is the place where the log was last opened: see log-origin.ts. */
export const logOriginColumn = "alter table logs add column origin text not null default ''"
