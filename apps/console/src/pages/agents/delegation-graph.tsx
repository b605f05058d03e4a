import { useId } from 'react'
import type { AgentInList } from '../../agents/agents-api.ts'
import { useMedia } from '../../browser/use-media.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'

/** The sizes of the picture, in pixels. On a phone three columns fit beside each other. */
const sizes = {
  wide: { width: 132, height: 36, gapX: 48, gapY: 18, margin: 4 },
  narrow: { width: 90, height: 40, gapX: 24, gapY: 18, margin: 4 },
} as const
type Sizes = (typeof sizes)[keyof typeof sizes]

interface Props {
  readonly agents: readonly AgentInList[]
  /** The agent whose arrows are drawn strongly. */
  readonly current?: string | undefined
  readonly onShow: (agent: AgentInList) => void
}

/** Draws who may delegate to whom. Each agent is a link to its page. A wide picture scrolls inside its frame. */
export function DelegationGraph({ agents: all, current, onShow }: Props) {
  const words = useOtherPagesWords().agents
  const arrow = useId()
  // Definitions of several workspaces can have one name. They are drawn once.
  const agents = all.filter((agent, index) => all.findIndex(({ name }) => name === agent.name) === index)
  const { nodes, edges, columns, rows } = layeredGraph(agents.map(graphAgent))
  const size = useMedia('(width < 640px)') ? sizes.narrow : sizes.wide
  const places = new Map(nodes.map(node => [node.name, cornerOf(node, size)]))
  const width = columns * (size.width + size.gapX) - size.gapX + 2 * size.margin
  const height = rows * (size.height + size.gapY) - size.gapY + 2 * size.margin
  return (
    <section aria-label={words.graph} data-graph="" className="overflow-x-auto pb-1">
      <svg width={width} height={height} className="mx-auto block">
        <title>{words.graph}</title>
        <defs>
          <marker
            id={arrow}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" className="fill-muted" />
          </marker>
        </defs>
        {edges.map(edge => (
          <Arrow
            key={`${edge.from} ${edge.to}`}
            edge={edge}
            places={places}
            size={size}
            marker={arrow}
            isStrong={current !== undefined && [edge.from, edge.to].includes(current)}
          />
        ))}
        {agents.map(agent => (
          <Box
            key={agent.name}
            agent={agent}
            at={places.get(agent.name) ?? { x: 0, y: 0 }}
            size={size}
            isCurrent={agent.name === current}
            onShow={() => onShow(agent)}
          />
        ))}
      </svg>
    </section>
  )
}

function graphAgent(agent: AgentInList) {
  // The person's own agents answer people too, but they stand where they work for others.
  return { ...agent, answersPeople: agent.answersPeople && agent.origin === 'code' }
}

interface Corner {
  readonly x: number
  readonly y: number
}

function cornerOf({ column, row }: GraphNode, { width, height, gapX, gapY, margin }: Sizes): Corner {
  return { x: margin + column * (width + gapX), y: margin + row * (height + gapY) }
}

interface ArrowProps {
  readonly edge: GraphEdge
  readonly places: ReadonlyMap<string, Corner>
  readonly size: Sizes
  readonly marker: string
  readonly isStrong: boolean
}

function Arrow({ edge, places, size, marker, isStrong }: ArrowProps) {
  const from = places.get(edge.from)
  const to = places.get(edge.to)
  if (from === undefined || to === undefined) return null
  const middle = size.height / 2
  const isForward = edge.span > 0
  const start = { x: from.x + (isForward ? size.width : 0), y: from.y + middle }
  const end = { x: to.x + (isForward ? 0 : size.width), y: to.y + middle }
  const bend = (isForward ? size.gapX : -size.gapX) / 2
  // An arrow over several columns goes through the gap below a row, and not behind the boxes of the row.
  const dip = edge.span > 1 ? (size.height + size.gapY) * 0.66 : 0
  return (
    <path
      data-edge={`${edge.from} ${edge.to}`}
      d={`M${start.x} ${start.y}C${start.x + bend} ${start.y + dip} ${end.x - bend} ${end.y + dip} ${end.x} ${end.y}`}
      markerEnd={`url(#${marker})`}
      strokeDasharray={edge.isWildcard ? '3 4' : undefined}
      className={`fill-none ${isStrong ? 'stroke-accent stroke-2' : 'stroke-muted/60'}`}
    />
  )
}

interface BoxProps {
  readonly agent: AgentInList
  readonly at: Corner
  readonly size: Sizes
  readonly isCurrent: boolean
  readonly onShow: () => void
}

function Box({ agent, at, size, isCurrent, onShow }: BoxProps) {
  const { displayName, isEnabled, origin, allowedSubAgents } = agent
  const colours = isCurrent
    ? 'border-accent bg-accent-soft'
    : origin === 'person'
      ? 'border-accent/50 bg-raised'
      : 'border-line bg-panel'
  return (
    <foreignObject x={at.x} y={at.y} width={size.width} height={size.height}>
      <button
        type="button"
        title={displayName}
        onClick={onShow}
        className={`h-full w-full truncate rounded-lg border px-1.5 text-xs sm:text-sm -outline-offset-2 hover:border-accent ${colours} ${isEnabled ? '' : 'text-muted line-through'}`}
      >
        {displayName}
        {allowedSubAgents.includes('*') && ' ∗'}
      </button>
    </foreignObject>
  )
}

/** An agent, and those it may delegate to. */
export interface DelegatingAgent {
  readonly name: string
  /** Whether people talk to it. Such agents stand in the first column. */
  readonly answersPeople: boolean
  /** Whether others can delegate to it. */
  readonly isSubAgent: boolean
  /** `*` means every agent. */
  readonly allowedSubAgents: readonly string[]
}

/** Where an agent stands: its column from the left, and its row from the top. */
interface GraphNode {
  readonly name: string
  readonly column: number
  readonly row: number
}

interface GraphEdge {
  readonly from: string
  readonly to: string
  /** Whether the agent may ask everybody, and does not name this one. */
  readonly isWildcard: boolean
  /** How many columns the arrow goes to the right. */
  readonly span: number
}

interface LayeredGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly columns: number
  readonly rows: number
}

/**
 * Lays agents out in columns, so that nearly every arrow goes to the right: an agent stands one column behind the last
 * of those that name it. In a circle, the arrow that closes it goes back. Of the arrows of an agent that may ask
 * everybody, only those to the next column are returned. The others would cover the picture.
 */
export function layeredGraph(agents: readonly DelegatingAgent[]): LayeredGraph {
  const allowed = agents.flatMap(agent => edgesFrom(agent, agents))
  const columnOf = columnsOf(agents, allowed)
  const edges = allowed
    .map(edge => ({ ...edge, span: (columnOf.get(edge.to) ?? 0) - (columnOf.get(edge.from) ?? 0) }))
    .filter(({ isWildcard, span }) => !isWildcard || span === 1)
  const counts = new Map<number, number>()
  const nodes = agents.map(({ name }) => {
    const column = columnOf.get(name) ?? 0
    const row = counts.get(column) ?? 0
    counts.set(column, row + 1)
    return { name, column, row }
  })
  return {
    nodes,
    edges,
    columns: Math.max(0, ...counts.keys()) + 1,
    rows: Math.max(0, ...counts.values()),
  }
}

function edgesFrom(
  { name, allowedSubAgents }: DelegatingAgent,
  agents: readonly DelegatingAgent[],
): readonly Omit<GraphEdge, 'span'>[] {
  const isAllowed = (to: string) => allowedSubAgents.includes('*') || allowedSubAgents.includes(to)
  return agents
    .filter(other => other.isSubAgent && other.name !== name && isAllowed(other.name))
    .map(other => ({ from: name, to: other.name, isWildcard: !allowedSubAgents.includes(other.name) }))
}

/** Returns the column of each agent: the longest way to it over named agents, without going in circles. */
function columnsOf(
  agents: readonly DelegatingAgent[],
  edges: readonly Omit<GraphEdge, 'span'>[],
): ReadonlyMap<string, number> {
  const columns = new Map<string, number>()
  const underWay = new Set<string>()
  const masters = new Set(agents.filter(({ answersPeople }) => answersPeople).map(({ name }) => name))
  const callersOf = Map.groupBy(
    edges.filter(({ isWildcard }) => !isWildcard),
    ({ to }) => to,
  )
  const columnOf = (name: string): number => {
    const known = columns.get(name)
    if (known !== undefined) return known
    underWay.add(name)
    const before = (callersOf.get(name) ?? [])
      .filter(({ from }) => !underWay.has(from))
      .map(({ from }) => columnOf(from) + 1)
    underWay.delete(name)
    // An agent that people talk to stands at the left, unless another agent names it.
    const column = Math.max(masters.has(name) ? 0 : 1, ...before)
    columns.set(name, column)
    return column
  }
  for (const { name } of agents) columnOf(name)
  return columns
}
