/** An agent, and those it may delegate to. */
export interface GraphAgent {
  readonly name: string
  /** Whether people talk to it. Such agents stand in the first column. */
  readonly answersPeople: boolean
  /** Whether others can delegate to it. */
  readonly isSubAgent: boolean
  /** `*` means every agent. */
  readonly allowedSubAgents: readonly string[]
}

/** Where an agent stands: its column from the left, and its row from the top. */
export interface GraphNode {
  readonly name: string
  readonly column: number
  readonly row: number
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /** Whether the agent may ask everybody, and does not name this one. */
  readonly isWildcard: boolean
  /** How many columns the arrow goes to the right. */
  readonly span: number
}

export interface LayeredGraph {
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
export function layeredGraph(agents: readonly GraphAgent[]): LayeredGraph {
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
  { name, allowedSubAgents }: GraphAgent,
  agents: readonly GraphAgent[],
): readonly Omit<GraphEdge, 'span'>[] {
  const isAllowed = (to: string) => allowedSubAgents.includes('*') || allowedSubAgents.includes(to)
  return agents
    .filter(other => other.isSubAgent && other.name !== name && isAllowed(other.name))
    .map(other => ({ from: name, to: other.name, isWildcard: !allowedSubAgents.includes(other.name) }))
}

/** Returns the column of each agent: the longest way to it over named agents, without going in circles. */
function columnsOf(
  agents: readonly GraphAgent[],
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
