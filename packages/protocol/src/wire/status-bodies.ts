// What the routes for the state of the server, for usage and for connections send to a page.

import { isString } from '../values/fields.ts'
import { type BodyCheck, bodyCheck, isBoolean, isNumber, listOf, maybe, oneOf } from './body-check.ts'

/** What `GET /api/status` returns. */
export interface ServerStatus {
  readonly version?: string | undefined
  readonly agents: readonly StatusAgent[]
  readonly store: StatusStore
  /** Only for operators. */
  readonly operator?: OperatorStatus | undefined
}

interface StatusAgent {
  readonly name: string
  readonly displayName: string
  readonly model?: string | undefined
}

interface StatusStore {
  readonly status: 'ok' | 'full' | 'unwritable' | 'gone' | 'unreachable' | 'closed'
}

/** What only operators see of a server. What is left out is not known at the moment. */
export interface OperatorStatus {
  /** What is wrong with the store. */
  readonly problem?: string | undefined
  readonly nodeVersion: string
  readonly upSeconds: number
  readonly database: StatusDatabase
  readonly keys: readonly StatusKey[]
  readonly runs: number
  readonly waitingSubmissions: number
  readonly viewers: number
  readonly nodes?: number | undefined
  readonly quarantined?: number | undefined
  readonly deadlyRuns?: readonly StatusRun[] | undefined
}

interface StatusDatabase {
  readonly kind?: 'sqlite' | 'postgres' | undefined
  readonly version?: string | undefined
  readonly databaseBytes?: number | undefined
  readonly freeBytes?: number | undefined
  readonly walBytes?: number | undefined
}

interface StatusKey {
  /** The name of the environment variable. */
  readonly name: string
  readonly isSet: boolean
}

/** A run whose process has died with it. */
interface StatusRun {
  readonly id: string
  readonly chatId: string
  readonly agent: string
}

/** Returns whether a value is what `GET /api/status` returns. */
export const isServerStatus: BodyCheck<ServerStatus> = bodyCheck<ServerStatus>({
  version: maybe(isString),
  agents: listOf(bodyCheck<StatusAgent>({ name: isString, displayName: isString, model: maybe(isString) })),
  store: bodyCheck<StatusStore>({
    status: oneOf('ok', 'full', 'unwritable', 'gone', 'unreachable', 'closed'),
  }),
  operator: maybe(
    bodyCheck<OperatorStatus>({
      problem: maybe(isString),
      nodeVersion: isString,
      upSeconds: isNumber,
      database: bodyCheck<StatusDatabase>({
        kind: maybe(oneOf('sqlite', 'postgres')),
        version: maybe(isString),
        databaseBytes: maybe(isNumber),
        freeBytes: maybe(isNumber),
        walBytes: maybe(isNumber),
      }),
      keys: listOf(bodyCheck<StatusKey>({ name: isString, isSet: isBoolean })),
      runs: isNumber,
      waitingSubmissions: isNumber,
      viewers: isNumber,
      nodes: maybe(isNumber),
      quarantined: maybe(isNumber),
      deadlyRuns: maybe(listOf(bodyCheck<StatusRun>({ id: isString, chatId: isString, agent: isString }))),
    }),
  ),
})

/** What one agent has used of one model on one day. */
export interface UsageOfDay {
  /** In UTC, such as `2026-11-16`. */
  readonly day: string
  readonly agent: string
  /** Empty when the agent did not say which model it used. */
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars, for the tokens whose price was known. */
  readonly cost: number
  readonly unpricedTokens: number
}

/** What `GET /api/usage` returns. */
export interface UsageBody {
  readonly from: string
  readonly to: string
  readonly days: readonly UsageOfDay[]
}

/** Returns whether a value is what `GET /api/usage` returns. */
export const isUsageBody: BodyCheck<UsageBody> = bodyCheck<UsageBody>({
  from: isString,
  to: isString,
  days: listOf(
    bodyCheck<UsageOfDay>({
      day: isString,
      agent: isString,
      model: isString,
      inputTokens: isNumber,
      outputTokens: isNumber,
      cost: isNumber,
      unpricedTokens: isNumber,
    }),
  ),
})

/** A service at which people sign in, so that agents use it in their name. */
export interface ConnectionBody {
  readonly name: string
  readonly status: 'signed-out' | 'signed-in' | 'needs-more'
}

/** What `GET /api/connections` returns. */
export interface ConnectionsBody {
  readonly connections: readonly ConnectionBody[]
}

/** Returns whether a value is what `GET /api/connections` returns. */
export const isConnectionsBody: BodyCheck<ConnectionsBody> = bodyCheck<ConnectionsBody>({
  connections: listOf(
    bodyCheck<ConnectionBody>({ name: isString, status: oneOf('signed-out', 'signed-in', 'needs-more') }),
  ),
})

/** What `POST /api/connections/:name/sign-in` returns: the page of the service on which the person signs in. */
export interface SignInAddress {
  readonly address: string
}

/** Returns whether a value is what `POST /api/connections/:name/sign-in` returns. */
export const isSignInAddress: BodyCheck<SignInAddress> = bodyCheck<SignInAddress>({ address: isString })
