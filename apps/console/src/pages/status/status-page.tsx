import { isServerStatus, type ServerStatus } from '@throughline/protocol/internal'
import { CircleCheck, CircleDashed } from 'lucide-react'
import type { AgentItem } from '../../agents/use-agents.ts'
import { PageHeader } from '../../navigation/page-header.tsx'
import { useWords } from '../../settings/settings.tsx'
import { sizeLabel } from '../../text/size-label.ts'
import type { StatusWords } from '../../words/other-pages/en.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'
import { UsageView } from './usage-view.tsx'
import { useLoaded } from './use-loaded.ts'

interface Props {
  readonly agents: readonly AgentItem[]
  readonly onMenu: () => void
}

/** What the person has used, and how the server is doing. */
export function StatusPage({ agents, onMenu }: Props) {
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={useWords().status} onMenu={onMenu} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl space-y-10 px-4 py-6 sm:px-6">
          <UsageView agents={agents} />
          <ServerView />
        </div>
      </div>
    </main>
  )
}

type Fact = readonly [name: string, value: string | undefined]

/** How the server is doing. Operators see more of it. */
function ServerView() {
  const words = useOtherPagesWords().status
  const { value: status, hasFailed } = useLoaded(isServerStatus, '/api/status')
  if (status === undefined) return <p className="text-muted">{hasFailed ? words.failed : words.loading}</p>
  const { operator } = status
  return (
    <section>
      <h2 className="font-semibold">{words.server}</h2>
      {hasFailed && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {words.failed}
        </p>
      )}
      {operator?.problem !== undefined && <p className="mt-2 text-sm text-danger">{operator.problem}</p>}
      <Facts facts={[...commonFacts(status, words), ...operatorFacts(operator, words)]} />
      {operator === undefined && <p className="mt-2 text-sm text-muted">{words.forOperators}</p>}
      {operator?.nodes !== undefined && <p className="mt-2 text-sm text-muted">{words.thisNode}</p>}
      {operator !== undefined && operator.keys.length > 0 && <Keys keys={operator.keys} />}
    </section>
  )
}

function commonFacts({ agents, store, version }: ServerStatus, words: StatusWords): readonly Fact[] {
  // Agents that nobody knows the model of are left out.
  const models = Map.groupBy(
    agents.filter(({ model }) => model !== undefined),
    ({ model }) => model,
  )
  return [
    ...[...models].map(([model, users]): Fact => {
      const names = users.map(({ displayName }) => displayName)
      return [models.size === 1 ? words.model : words.modelOf(names), model]
    }),
    [words.store, words.stores[store.status]],
    [words.version, version],
  ]
}

function operatorFacts(operator: ServerStatus['operator'], words: StatusWords): readonly Fact[] {
  if (operator === undefined) return []
  const { database, upSeconds } = operator
  const { kind, databaseBytes, freeBytes, walBytes } = database
  const size = (bytes: number | undefined) => (bytes === undefined ? undefined : sizeLabel(bytes))
  // Pages that are only in the write-ahead log yet are not part of the size.
  const isFreeKnown = freeBytes !== undefined && freeBytes <= (databaseBytes ?? 0)
  const databaseSize = size(databaseBytes)
  const minutes = Math.floor(upSeconds / 60)
  return [
    [words.database, kind && `${kind === 'sqlite' ? 'SQLite' : 'Postgres'} ${database.version ?? ''}`],
    [
      words.databaseSize,
      databaseSize && isFreeKnown ? words.withFree(databaseSize, sizeLabel(freeBytes)) : databaseSize,
    ],
    [words.walSize, size(walBytes)],
    [words.nodeVersion, operator.nodeVersion],
    [words.up, words.duration(Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60)],
    [words.runs, String(operator.runs)],
    [words.waiting, String(operator.waitingSubmissions)],
    [words.viewers, String(operator.viewers)],
    [words.nodes, operator.nodes?.toString()],
    [words.quarantined, operator.quarantined ? String(operator.quarantined) : undefined],
    [
      words.deadlyRuns,
      operator.deadlyRuns?.map(({ chatId, agent }) => words.deadlyRun(chatId, agent)).join(', ') || undefined,
    ],
  ]
}

/** What is not known is left out. */
function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="mt-2 divide-y divide-line text-sm">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className="flex justify-between gap-6 py-2">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 text-right break-words tabular-nums">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

function Keys({ keys }: Pick<NonNullable<ServerStatus['operator']>, 'keys'>) {
  const words = useOtherPagesWords().status
  return (
    <>
      <h2 className="mt-8 font-semibold">{words.keys}</h2>
      <ul className="mt-2 divide-y divide-line text-sm">
        {keys.map(({ name, isSet }) => (
          <li key={name} className="flex items-center gap-2.5 py-2">
            {isSet ? (
              <CircleCheck size={16} className="shrink-0 text-accent" />
            ) : (
              <CircleDashed size={16} className="shrink-0 text-muted" />
            )}
            <code className="min-w-0 flex-1 truncate">{name}</code>
            <span className="shrink-0 text-muted">{isSet ? words.keyIsSet : words.keyIsMissing}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
