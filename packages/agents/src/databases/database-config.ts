import { z } from 'zod'

const limits = {
  // What is in the database, for the model that decides which one to ask.
  description: z.string().min(1).max(1_000).optional(),
  // How many rows a query returns at most. Default: 100.
  maxRows: z.int().min(1).max(10_000).optional(),
  // How large the rows of a query may be together, in bytes of JSON. Default: 40,000.
  maxBytes: z.int().min(1_000).max(1_000_000).optional(),
  // How long a query may take, in milliseconds. Default: 5,000.
  timeoutMs: z.int().min(100).max(120_000).optional(),
}

const sqliteDatabase = z.strictObject({ sqlite: z.string().min(1), ...limits })
const postgresDatabase = z.strictObject({
  postgres: z.url({ protocol: /^postgres(ql)?$/ }),
  ...limits,
})

/** A database that agents may read: `sqlite` is the path of a file, `postgres` an address with a role that may only read. */
export type DatabaseConfig = z.infer<typeof sqliteDatabase> | z.infer<typeof postgresDatabase>

/** Returns what is wrong with the configuration of a database. It contains no values, because one may be a password. */
export function databaseIssue(name: string, database: unknown): string | undefined {
  // The keys of its tools must be keys of tools.
  if (!/^[a-z][\w-]{0,40}$/i.test(name))
    return 'the name of a database has up to 41 letters, digits, "_" and "-", and begins with a letter'
  const isFile = typeof database === 'object' && database !== null && 'sqlite' in database
  const { error } = (isFile ? sqliteDatabase : postgresDatabase).safeParse(database)
  const [issue] = error?.issues ?? []
  if (issue === undefined) return undefined
  const where = issue.path.length === 0 ? '' : `"${issue.path.join('.')}" is not as expected: `
  return `${where}${issue.message}`
}
