/** What `GET /api/status` returns. */
export interface ServerStatus {
  readonly version?: string
  readonly agents: readonly {
    readonly name: string
    readonly displayName: string
    readonly model?: string
  }[]
  readonly store: {
    readonly status: 'ok' | 'full' | 'unwritable' | 'gone' | 'unreachable' | 'closed'
  }
  /** Only for operators. What is left out is not known. */
  readonly operator?: {
    readonly problem?: string
    readonly nodeVersion: string
    readonly upSeconds: number
    readonly database: {
      readonly kind?: 'sqlite' | 'postgres'
      readonly version?: string
      readonly databaseBytes?: number
      readonly freeBytes?: number
      readonly walBytes?: number
    }
    readonly keys: readonly { readonly name: string; readonly isSet: boolean }[]
    readonly runs: number
    readonly waitingSubmissions: number
    readonly viewers: number
    readonly nodes?: number
  }
}
