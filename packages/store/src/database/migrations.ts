import { logOriginColumn, logTables } from './postgres-log-tables.ts'

/** One change of the schema. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
  /** Other statements for Postgres. Default: the same ones. There, every column of text gets `collate "C"`. */
  readonly postgres?: readonly string[]
  /**
   * The program of the release before cannot use the tables any more. Default: it can. Only for a change that takes
   * something away which no release in use needs: see docs/decisions/0018-postgres.md, "Expand, then contract".
   */
  readonly breaks?: true
}

const chatTables: readonly string[] = [
  `create table chats (
    owner_id text not null,
    id text not null,
    title text not null,
    created_at text not null,
    updated_at text not null,
    saved_seq bigint not null default 0,
    primary key (owner_id, id)
  )`,
  'create index chats_by_update on chats (owner_id, updated_at)',
  `create table messages (
    owner_id text not null,
    chat_id text not null,
    id text not null,
    role text not null,
    metadata text not null,
    run_id text not null,
    seq bigint,
    primary key (owner_id, chat_id, id),
    foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
  )`,
  'create index messages_in_order on messages (owner_id, chat_id, seq)',
  `create table parts (
    owner_id text not null,
    chat_id text not null,
    message_id text not null,
    idx bigint not null,
    body text not null,
    primary key (owner_id, chat_id, message_id, idx),
    foreign key (owner_id, chat_id, message_id) references messages (owner_id, chat_id, id) on delete cascade
  )`,
  `create table runs (
    owner_id text not null,
    id text not null,
    chat_id text not null,
    agent text not null,
    user_message_id text not null,
    answer_id text not null,
    status text not null,
    after_seq bigint not null,
    started_at text not null,
    ended_at text,
    primary key (owner_id, id),
    foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
  )`,
  "create unique index runs_active on runs (owner_id, chat_id) where status = 'running'",
  'create index runs_by_user_message on runs (owner_id, chat_id, user_message_id)',
]

/** The layout of the log in SQLite. That in Postgres comes with a later migration. */
const firstLogTables: readonly string[] = [
  `create table logs (
    name text primary key,
    epoch text not null,
    fence bigint not null,
    seq bigint not null
  )`,
  `create table log_entries (
    epoch text not null,
    seq bigint not null,
    run_id text not null,
    message_id text not null,
    chunk text not null,
    primary key (epoch, seq)
  ) without rowid`,
]

/**
 * The history of the schema, for SQLite and for Postgres. New migrations are added at the end, and a released migration
 * is never edited. The version of a migration is its number in this list, from 1. The application sets all ids: no column
 * has a default id.
 */
export const migrations: readonly Migration[] = [
  {
    name: 'chats, messages, parts, runs and their log',
    statements: [...chatTables, ...firstLogTables],
    postgres: chatTables,
  },
  {
    name: 'approvals of tool calls',
    statements: [
      `create table approvals (
        owner_id text not null,
        id text not null,
        chat_id text not null,
        run_id text not null,
        message_id text not null,
        tool_call_id text not null,
        tool_name text not null,
        input_hash text not null,
        status text not null,
        reason text,
        created_at text not null,
        settled_at text,
        primary key (owner_id, id),
        foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
      )`,
      'create index approvals_by_run on approvals (owner_id, run_id)',
    ],
  },
  {
    name: 'files of chats, and agents defined by users',
    statements: [
      `create table files (
        owner_id text not null,
        chat_id text not null,
        id text not null,
        media_type text not null,
        bytes bigint not null,
        created_at text not null,
        primary key (owner_id, chat_id, id),
        foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
      )`,
      `create table sub_agents (
        owner_id text not null,
        id text not null,
        workspace_id text not null,
        name text not null,
        enabled bigint not null,
        definition text not null,
        version bigint not null,
        updated_at text not null,
        primary key (owner_id, id),
        unique (owner_id, workspace_id, name)
      )`,
    ],
  },
  {
    name: 'when entries were written, and answers made anew',
    statements: [
      'alter table log_entries add column at bigint not null default 0',
      "alter table runs add column kind text not null default 'answer'",
      'create unique index runs_by_answer on runs (owner_id, chat_id, answer_id)',
    ],
    postgres: [
      "alter table runs add column kind text not null default 'answer'",
      'create unique index runs_by_answer on runs (owner_id, chat_id, answer_id)',
    ],
  },
  {
    name: 'chats in channels, and what is on its way to them',
    statements: [
      `create table channel_chats (
        owner_id text not null,
        chat_id text not null,
        channel text not null,
        target text not null,
        delivered_epoch text not null,
        delivered_seq bigint not null,
        taken_over_by text,
        primary key (owner_id, chat_id),
        foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
      )`,
      `create table outbox (
        owner_id text not null,
        chat_id text not null,
        run_id text not null,
        idx bigint not null,
        body text not null,
        status text not null,
        receipt text,
        primary key (owner_id, chat_id, run_id, idx),
        foreign key (owner_id, chat_id) references channel_chats (owner_id, chat_id) on delete cascade
      )`,
    ],
  },
  {
    name: 'messages of removed chats that channels may bring again',
    statements: [
      `create table removed_messages (
        owner_id text not null,
        chat_id text not null,
        message_id text not null,
        removed_at text not null,
        primary key (owner_id, chat_id, message_id)
      )`,
      'create index removed_messages_by_time on removed_messages (removed_at)',
    ],
  },
  {
    name: 'new entries of all logs in the order in which they come',
    statements: [
      `create table log_tail (
        arrival integer primary key,
        epoch text not null,
        seq bigint not null,
        count bigint not null,
        at bigint not null,
        body text not null
      )`,
      'alter table logs add column trimmed bigint not null default 0',
      'alter table log_entries add column crc bigint',
      'create unique index logs_by_epoch on logs (epoch)',
      'create table log_removals (epoch text primary key, up_to bigint not null)',
    ],
    postgres: logTables,
  },
  {
    name: 'chats that are being removed',
    statements: [
      'alter table chats add column removed_at text',
      'create index chats_removed on chats (removed_at) where removed_at is not null',
      'create index approvals_by_chat on approvals (owner_id, chat_id)',
    ],
  },
  {
    name: 'which process deletes the rows of a removed chat',
    statements: [
      'alter table chats add column removal_by text',
      'alter table chats add column removal_until bigint',
    ],
  },
  {
    name: 'files whose rows are not saved yet',
    statements: [
      `create table unsaved_files (
        owner_id text not null,
        chat_id text not null,
        id text not null,
        written_at text not null,
        sweep_at text,
        primary key (owner_id, chat_id, id)
      )`,
      'create index unsaved_files_by_time on unsaved_files (written_at)',
    ],
  },
  {
    name: 'on Postgres: the bytes of files, and whether data was moved here',
    // With SQLite, the bytes are in the folder beside the database.
    statements: [],
    postgres: [
      `create table file_bytes (
        owner_id text not null,
        chat_id text not null,
        file_id text not null,
        idx bigint not null,
        byte_count bigint not null,
        bytes bytea not null,
        primary key (owner_id, chat_id, file_id, idx)
      )`,
      // Most files are pictures, which cannot be compressed any more.
      'alter table file_bytes alter column bytes set storage external',
      // One row, once data was moved here. Until it has an end, no server may start.
      `create table store_moves (
        id bigint primary key,
        source text not null,
        started_at text not null,
        finished_at text
      )`,
    ],
  },
  {
    name: 'nodes, whose runs and deliveries are whose, and jobs that one node does',
    statements: [
      'create table nodes (id text primary key, seen_at bigint not null)',
      `create table job_leases (
        name text primary key,
        node_id text not null,
        fence bigint not null,
        until bigint not null
      )`,
      "alter table runs add column node_id text not null default ''",
      "alter table channel_chats add column delivered_by text not null default ''",
    ],
  },
  {
    name: 'what a run needs to go on after a crash',
    statements: [
      'alter table runs add column context text',
      'alter table runs add column usage text',
      'alter table runs add column attempt bigint not null default 0',
    ],
  },
  {
    name: 'requests that any node may take: stops, waiting submissions and replies of operators',
    statements: [
      'alter table runs add column stop_requested_at text',
      'alter table runs add column stop_requested_by text',
      "create index runs_to_stop on runs (stop_requested_at) where status = 'running' and stop_requested_at is not null",
      `create table waiting_submissions (
        owner_id text not null,
        chat_id text not null,
        id text not null,
        idx bigint not null,
        body text not null,
        created_at text not null,
        primary key (owner_id, chat_id, id),
        unique (owner_id, chat_id, idx),
        foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
      )`,
      `create table operator_replies (
        owner_id text not null,
        chat_id text not null,
        answer_id text not null,
        text text not null,
        said bigint not null,
        created_at text not null,
        primary key (owner_id, chat_id, answer_id),
        foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
      )`,
    ],
  },
  {
    name: 'keys with which all nodes sign and check tickets',
    statements: ['create table shared_keys (name text primary key, key text not null)'],
  },
  {
    name: 'when an answer of a chat ended last',
    statements: ['alter table chats add column answered_at text'],
  },
  {
    name: 'chats that people have pinned',
    statements: [
      'alter table chats add column pinned_at text',
      'create index chats_pinned on chats (owner_id) where pinned_at is not null',
    ],
  },
  {
    name: 'what people have used by day, agent and model',
    statements: [
      // No foreign key: what was used stays counted when a chat is deleted.
      `create table usage_days (
        owner_id text not null,
        day text not null,
        agent text not null,
        model text not null,
        input_tokens bigint not null,
        output_tokens bigint not null,
        cost_nanos bigint not null,
        unpriced_tokens bigint not null,
        primary key (owner_id, day, agent, model)
      )`,
    ],
  },
  {
    name: 'copies of chats that people share by a link',
    statements: [
      `create table shares (
        key text primary key,
        owner_id text not null,
        chat_id text not null,
        title text not null,
        created_at text not null,
        message_count bigint not null,
        digest text not null,
        file_ids text not null,
        messages text not null,
        foreign key (owner_id, chat_id) references chats (owner_id, id) on delete cascade
      )`,
      'create index shares_by_chat on shares (owner_id, chat_id)',
    ],
  },
  {
    name: 'which message a person sent, when they edited it while it waited',
    statements: ['alter table runs add column sent_digest text'],
  },
  {
    name: 'how people have signed in at MCP servers',
    statements: [
      `create table mcp_sign_ins (
        owner_id text not null,
        server text not null,
        body text not null,
        primary key (owner_id, server)
      )`,
    ],
  },
  {
    name: 'calls that wait for an output from outside, beside those that wait for approval',
    statements: [
      "alter table approvals add column kind text not null default 'approval'",
      'alter table approvals add column answer text',
    ],
  },
  {
    name: 'where logs have their origin, so that those of a restored store get a new generation',
    // One row: the file that the store was last opened in, and the end of the epochs of all logs.
    statements: [
      'create table store_origin (id bigint primary key, file text not null, generation text not null)',
    ],
    postgres: [
      logOriginColumn,
      // Each migration is a transaction of its own. Where several have come in one, the tables were restored from a dump, and
      // nobody has noted that. Their logs get a new generation, too.
      `update logs set origin = 'restored' where exists (
        select from throughline_migrations earlier
        join throughline_migrations later on later.version = earlier.version + 1 and later.xmin = earlier.xmin)`,
    ],
  },
  {
    name: 'how often the process of a run has died, and which runs are in quarantine for it',
    statements: [
      "alter table runs add column deaths text not null default ''",
      "alter table runs add column quarantine text not null default ''",
      "create index runs_ended_by_deaths on runs (ended_at) where quarantine = 'ended'",
    ],
  },
]
