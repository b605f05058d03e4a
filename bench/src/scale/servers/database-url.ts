/** Returns the database that the bench has given to this process. */
export function databaseUrl(): string {
  const { DATABASE_URL } = process.env
  if (DATABASE_URL === undefined) throw new TypeError('The bench must set DATABASE_URL for this process.')
  return DATABASE_URL
}
