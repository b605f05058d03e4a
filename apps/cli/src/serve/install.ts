import { availableParallelism } from 'node:os'
import {
  hideSecrets,
  knownKeys,
  type ModelChoice,
  ModelThread,
  modelFromEnv,
  secretsIn,
} from '@throughline/agents/internal'
import { isId, isOwnerId, type OwnerId } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import { createServerLog, type InstalledChannel, type ThroughlineOptions } from '@throughline/server'
import { assertNode, openStoreAt, type Store } from '@throughline/store'
import { refuseSetting } from '../config/checks.ts'
import type { ChannelConfig, Config } from '../config/config.ts'
import { type BackupListener, listenForBackups } from '../maintenance/backup-socket.ts'
import { openBucket } from '../settings/bucket.ts'
import { type LogFormat, type Settings, settingsFromEnv } from '../settings/settings.ts'
import { watchTokensFile } from '../settings/tokens.ts'
import { hasColours, processShell } from '../shell/shell.ts'
import { painter } from '../text/look.ts'
import { readableLog } from '../text/readable-log.ts'
import { installedAgents } from './installed-agents.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What a configuration is installed with. */
interface InstallOptions
  extends Pick<
    Settings,
    | 'bucket'
    | 'dataFolder'
    | 'drainMs'
    | 'finishMs'
    | 'hosts'
    | 'logFormat'
    | 'logLevel'
    | 'operators'
    | 'origins'
    | 'postgres'
    | 'tokens'
    | 'tokensFile'
  > {
  readonly env: Environment
  /** Default: one that writes to the standard output, in the form of `logFormat`. */
  readonly logger?: ThroughlineOptions['logger']
  /** The folder of the page that is served, if there is one. */
  readonly pageFolder: string | undefined
}

/** Everything that a server needs, opened and started. */
interface Installation {
  readonly options: ThroughlineOptions
  readonly model: ModelChoice
  /** Closes the tools and the store. Close the server first. */
  close(): Promise<void>
}

/**
 * Opens the store and starts the tools of a configuration. Throws when the configuration or the environment cannot work;
 * then nothing stays open.
 */
export async function install(
  config: Config,
  {
    env,
    bucket,
    dataFolder,
    logFormat,
    logLevel,
    pageFolder,
    postgres,
    origins,
    tokensFile,
    ...settings
  }: InstallOptions,
): Promise<Installation> {
  assertNode()
  await using opened = new AsyncDisposableStack()
  // With one core a thread would only cost more.
  const modelThread = availableParallelism() > 1 ? opened.use(new ModelThread(env)) : undefined
  const model = modelFromEnv(env, modelThread)
  const { heartbeatMs, ...batching } = config.stream ?? {}
  const channels = installedChannels(config, settings)
  const { hide, hideAlso } = growingSecrets(knownSecrets(env, config))
  const logger =
    settings.logger ?? createServerLog({ level: logLevel, hide, ...logDestination(env, logFormat) })
  const report = (problem: string) => logger.warn(problem)
  const onChange = (tokens: Settings['tokens']) => hideAlso(tokens.keys())
  const watched = tokensFile && opened.use(await watchTokensFile(tokensFile, { logger, onChange }))
  const fileBytes = await openBucket(bucket, report)
  const store = await openStoreAt({ folder: dataFolder, postgres }, { report, fileBytes })
  opened.defer(() => store.close())
  opened.defer(
    await takeBackups({ backUp: store.backup, folder: dataFolder, hasBucket: bucket !== undefined }, report),
  )
  const { closeTools, ...agents } = await installedAgents(config, model, {
    env,
    ownData: { folder: dataFolder, url: postgres?.url },
    modelThread,
    hideSecrets: hide,
    signIns: store.mcpSignIns,
    now: () => store.now(),
    warn: message => logger.warn(message),
    report: problem => logger.warn(problem, 'An MCP server does not work as configured.'),
    note: sentence => logger.info(sentence),
  })
  opened.defer(closeTools)
  const options: ThroughlineOptions = {
    ...settings,
    ...agents,
    tokens: watched ? watched.current : settings.tokens,
    store,
    channels,
    batching,
    heartbeatMs,
    retention: config.retention,
    continue: config.continue,
    titles: config.titles ?? model.name !== 'demo',
    sharing: config.sharing,
    clientTools: config.clientTools,
    logger,
    authenticate: config.authenticate,
    authenticateMs: config.authenticateMs,
    keys: knownKeys(env),
    ticketMs: config.ticketMs,
    origins: [...origins, ...(config.origins ?? [])],
    basePath: config.basePath,
    pageFolder,
  }
  const running = opened.move()
  return { options, model, close: () => running.disposeAsync() }
}

/** Hides secrets in texts: those that are known from the start, and the tokens that a file has now. */
function growingSecrets(known: readonly string[]) {
  let hideNow = hideSecrets(known)
  return {
    hide: (text: string) => hideNow(text),
    hideAlso(tokens: Iterable<string>) {
      hideNow = hideSecrets([...known, ...tokens])
    },
  }
}

/** Lets `throughline backup` reach this process. Returns a function that ends this. A server can do without it. */
async function takeBackups(
  { backUp, ...listener }: Omit<BackupListener, 'backUp'> & { readonly backUp: Store['backup'] },
  warn: (problem: string) => void,
): Promise<() => Promise<void>> {
  const nothing = async () => undefined
  // Windows has no such sockets in folders.
  if (backUp === undefined || process.platform === 'win32') return nothing
  try {
    return await listenForBackups({ backUp, ...listener })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    warn(`"throughline backup" works only while this server is stopped: ${reason}.`)
    return nothing
  }
}

/** Returns where the log is written, if its lines are made readable. */
function logDestination(env: Environment, format: LogFormat) {
  const shell = processShell(env)
  if (format === 'json' || (format === 'auto' && shell.output.isTTY !== true)) return {}
  return { destination: readableLog({ paint: painter(hasColours(shell)), output: shell.output }) }
}

/** Returns the channels of a configuration by name. Throws a SettingError for a wrong name or owner. */
export function installedChannels(
  { channels = {}, authenticate }: Config,
  { tokens }: Pick<Settings, 'tokens'>,
): ReadonlyMap<string, InstalledChannel> {
  // With `authenticate`, only the application knows its users.
  if (authenticate !== undefined) return mapped(channels, ownedByName)
  const owners = tokens.size === 0 ? ['local'] : [...new Set(tokens.values())]
  return mapped(channels, (where, owner = 'local') => ownedByUser(where, owner, owners))
}

/** Returns the owner of a channel's chats. `where` is the path of the setting. */
type OwnerOf = (where: string, owner: string | undefined) => OwnerId

function mapped(
  channels: Readonly<Record<string, ChannelConfig>>,
  ownerOf: OwnerOf,
): ReadonlyMap<string, InstalledChannel> {
  return new Map(Object.entries(channels).map(([name, config]) => [name, installed(name, config, ownerOf)]))
}

function installed(
  name: string,
  { channel, owner, agent, workspaceId, pageId, ...delivery }: ChannelConfig,
  ownerOf: OwnerOf,
): InstalledChannel {
  // A chat's id is the channel's name, a colon, and the platform's id of the conversation.
  if (!isId(name) || name.length > 32 || name.includes(':'))
    refuseSetting(`channels.${name}`, 'the name of a channel has up to 32 letters, digits, "_", "." and "-"')
  return { channel, ownerId: ownerOf(`channels.${name}.owner`, owner), agent, workspaceId, pageId, delivery }
}

// With an owner that is no user, nobody could ever see the chats.
function ownedByUser(where: string, owner: string, owners: readonly string[]): OwnerId {
  if (isOwnerId(owner) && owners.includes(owner)) return owner
  return refuseSetting(where, `nobody is called ${JSON.stringify(owner)}. ${didYouMean(owner, owners)}`)
}

function ownedByName(where: string, owner: string | undefined): OwnerId {
  if (isOwnerId(owner)) return owner
  const problem = owner === undefined ? 'it is missing' : 'it is not allowed'
  return refuseSetting(
    where,
    `${problem}. Name the ownerId, as authenticate returns it, whose chats these are.`,
  )
}

/**
 * Returns all secrets of an installation: keys and tokens in the environment, the tokens of its users, the password of
 * its databases, and what its configuration sends to MCP servers. They are hidden in logs, and in what tools return.
 */
export function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  { mcp = {}, databases = {} }: Config,
): readonly string[] {
  const ofServers = Object.values(mcp).flatMap(server =>
    'url' in server
      ? [...secretsIn(server.headers ?? {}).flatMap(credentialsIn), ...clientSecretOf(server)]
      : secretsIn(server.env ?? {}),
  )
  const { tokens, postgres } = settingsFromEnv(env)
  const ofAgents = Object.values(databases).map(each => ('postgres' in each ? each.postgres : undefined))
  const ofDatabase = [postgres?.url, postgres?.listenUrl, ...ofAgents].flatMap(url =>
    url === undefined ? [] : passwordIn(url),
  )
  return [...secretsIn(env), ...tokens.keys(), ...ofServers, ...ofDatabase]
}

function clientSecretOf({
  oauth,
}: {
  readonly oauth?: true | { readonly clientSecret?: string | undefined } | undefined
}) {
  const secret = oauth === true ? undefined : oauth?.clientSecret
  return secret === undefined ? [] : [secret]
}

/** Returns the password in a URL, as it is written there and as it is meant. */
function passwordIn(url: string): readonly string[] {
  const { password } = new URL(url)
  return password === '' ? [] : [password, decodeURIComponent(password)]
}

/**
 * Returns a header's value, and its words after the first: not only `Bearer abc` is a secret, `abc` alone is one too.
 */
function credentialsIn(header: string): readonly string[] {
  return [header, ...header.split(/\s+/).slice(1)]
}
