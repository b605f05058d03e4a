/**
 * SQL: a table expression `durable`, with one row that says whether the server waits for its disk before it confirms a commit.
 * Where it does not, whoever reads the row makes it wait for the commit of this statement: what is shown must not be lost, and
 * a lease that a crash takes back could be given twice. The setting ends with the transaction, so it also works behind a pooler.
 */
export const durableSql = `durable as materialized (
  select case when current_setting('synchronous_commit') <> 'off' then true
    else set_config('synchronous_commit', 'on', true) = 'off' end as is_durable)`

/** SQL: a condition that is always true, and reads the row of `durable`. */
export const readsDurableSql = 'durable.is_durable is not null'
