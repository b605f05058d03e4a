/** A statement that the server prepares once per connection, by its name. */
export interface PreparedQuery {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}
