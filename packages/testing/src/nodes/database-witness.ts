import { Pool } from 'pg'
import { z } from 'zod'

const staleAppendSchema = z.object({
  log: z.string(),
  seq: z.coerce.number(),
  writer: z.string(),
  holder: z.string().nullable(),
})

/** An entry that was written by a node which did not have the lease of the log. */
export type StaleAppend = z.infer<typeof staleAppendSchema>

const ownerChangeSchema = z.object({
  runId: z.string(),
  chatId: z.string(),
  /** The connection name of the node that has the run; `null` when no node has it. */
  node: z.string().nullable(),
  status: z.string(),
  /** In milliseconds since 1970. */
  at: z.coerce.number(),
})

/** A change of the row of a run: another node has it, or it has ended. */
export type OwnerChange = z.infer<typeof ownerChangeSchema>

/** Reads what the triggers of `witnessDatabase` have written down. */
export interface DatabaseWitness extends AsyncDisposable {
  staleAppends(): Promise<readonly StaleAppend[]>
  /** In the order in which they happened. */
  ownerChanges(): Promise<readonly OwnerChange[]>
  /** Returns when the entries of each run were written, in milliseconds since 1970, by run id. */
  entryTimes(): Promise<ReadonlyMap<string, readonly number[]>>
  /** Returns how many runs have each status, such as `finished`. */
  countRuns(): Promise<Readonly<Record<string, number>>>
  /** Returns the runs of which the nodes say that a node died while it worked on them. */
  runsWithDeaths(): Promise<readonly string[]>
}

/** Returns the URL of a database for one node. Every connection of the node has its name. */
export function urlForNode(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  return url.href
}

/**
 * Installs triggers that write down who does what in a database: which node takes the lease of a log, which node writes
 * each entry under which lease, and which node has each run. Nodes are told apart by the names of their connections. The
 * tables of Throughline must be there. The product does not know of any of this.
 */
export async function witnessDatabase(url: string): Promise<DatabaseWitness> {
  const pool = new Pool({ connectionString: url, max: 2 })
  pool.on('error', () => undefined)
  await pool.query(triggers)
  return {
    async staleAppends() {
      const { rows } = await pool.query(staleAppendsSql)
      return z.array(staleAppendSchema).parse(rows)
    },
    async ownerChanges() {
      const { rows } = await pool.query(ownerChangesSql)
      return z.array(ownerChangeSchema).parse(rows)
    },
    async entryTimes() {
      const { rows } = await pool.query(entryTimesSql)
      return new Map(
        z
          .array(entryTimesSchema)
          .parse(rows)
          .map(({ runId, times }) => [runId, times]),
      )
    },
    async countRuns() {
      const { rows } = await pool.query('select status, count(*)::int as count from runs group by status')
      const counts = z.array(z.object({ status: z.string(), count: z.number() })).parse(rows)
      return Object.fromEntries(counts.map(({ status, count }) => [status, count]))
    },
    async runsWithDeaths() {
      const { rows } = await pool.query("select id from runs where deaths <> ''")
      return z
        .array(z.object({ id: z.string() }))
        .parse(rows)
        .map(({ id }) => id)
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
    },
  }
}

// An append locks the row of its log. So the fence that the trigger reads is the one that the append was checked against.
const triggers = `
  create schema witness;
  create table witness.nodes (id text primary key, name text not null);
  create table witness.leases (epoch text, fence bigint, name text not null, primary key (epoch, fence));
  create table witness.entries (epoch text, seq bigint, fence bigint, name text not null, primary key (epoch, seq));
  create table witness.owners (
    id bigserial primary key, run_id text, chat_id text, node_id text, status text, at bigint not null);

  create function witness.note_node() returns trigger language plpgsql as $$ begin
    insert into witness.nodes values (new.id, current_setting('application_name')) on conflict do nothing;
    return null;
  end $$;
  create function witness.note_lease() returns trigger language plpgsql as $$ begin
    insert into witness.leases values (new.epoch, new.fence, current_setting('application_name'))
      on conflict do nothing;
    return null;
  end $$;
  create function witness.note_entries() returns trigger language plpgsql as $$ begin
    insert into witness.entries select e.epoch, e.seq, l.fence, current_setting('application_name')
      from added e left join public.logs l on l.epoch = e.epoch;
    return null;
  end $$;
  create function witness.note_owner() returns trigger language plpgsql as $$ begin
    insert into witness.owners (run_id, chat_id, node_id, status, at) values
      (new.id, new.chat_id, new.node_id, new.status, extract(epoch from clock_timestamp()) * 1000);
    return null;
  end $$;

  insert into witness.leases select epoch, fence, 'before the witness' from logs;
  create trigger witness_node after insert on nodes for each row execute function witness.note_node();
  create trigger witness_lease after insert or update of fence on logs
    for each row execute function witness.note_lease();
  create trigger witness_entries after insert on log_entries referencing new table as added
    for each statement execute function witness.note_entries();
  create trigger witness_owner after insert or update of node_id, status on runs
    for each row execute function witness.note_owner();
`

const staleAppendsSql = `
  select g.name as log, e.seq, e.name as writer, l.name as holder
  from witness.entries e
  left join witness.leases l on l.epoch = e.epoch and l.fence = e.fence
  left join logs g on g.epoch = e.epoch
  where l.name is distinct from e.name
  order by e.epoch, e.seq`

const entryTimesSchema = z.object({ runId: z.string(), times: z.array(z.coerce.number()) })
const entryTimesSql = `
  select run_id as "runId", array_agg(at order by seq) as times from log_entries group by run_id`

const ownerChangesSql = `
  select o.run_id as "runId", o.chat_id as "chatId", n.name as node, o.status, o.at
  from witness.owners o left join witness.nodes n on n.id = o.node_id
  order by o.id`
