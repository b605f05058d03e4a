/**
 * A list that is never changed: `push` and `set` make a new one that shares all but a few nodes with the
 * old. Their cost does not grow with the length (it does with its logarithm to base 32), where copying an
 * array would cost its length on every delta.
 */
export interface List<T> {
  readonly size: number
  readonly root: Node<T>
}

type Node<T> =
  | { readonly height: 0; readonly items: readonly T[] }
  | { readonly height: number; readonly nodes: readonly Node<T>[] }

const width = 32

export function emptyList<T>(): List<T> {
  return { size: 0, root: { height: 0, items: [] } }
}

export function listFrom<T>(items: Iterable<T>): List<T> {
  let level: Node<T>[] = groups([...items]).map(group => ({ height: 0, items: group }))
  const size = level.reduce((sum, node) => sum + ('items' in node ? node.items.length : 0), 0)
  for (let height = 1; level.length > 1; height += 1) {
    level = groups(level).map(nodes => ({ height, nodes }))
  }
  const [root] = level
  return root === undefined ? emptyList() : { size, root }
}

export function listGet<T>(list: List<T>, index: number): T | undefined {
  if (index < 0 || index >= list.size) return undefined
  let node = list.root
  for (;;) {
    if ('items' in node) return node.items[index % width]
    const next: Node<T> | undefined = node.nodes[slot(node.height, index)]
    if (next === undefined) return undefined
    node = next
  }
}

export function listPush<T>(list: List<T>, item: T): List<T> {
  const { size, root } = list
  const isFull = size === width ** (root.height + 1)
  const grown: Node<T> = isFull
    ? { height: root.height + 1, nodes: [root, branch(root.height, item)] }
    : pushInto(root, size, item)
  return { size: size + 1, root: grown }
}

export function listSet<T>(list: List<T>, index: number, item: T): List<T> {
  if (index < 0 || index >= list.size) throw new RangeError(`No item ${index} in a list of ${list.size}.`)
  return { size: list.size, root: setIn(list.root, index, item) }
}

export function listToArray<T>(list: List<T>): T[] {
  const items: T[] = []
  collect(list.root, items)
  return items
}

function setIn<T>(node: Node<T>, index: number, item: T): Node<T> {
  if ('items' in node) return { height: 0, items: node.items.with(index % width, item) }
  const at = slot(node.height, index)
  const child = node.nodes[at]
  if (child === undefined) throw new RangeError(`No node for item ${index}.`)
  return { height: node.height, nodes: node.nodes.with(at, setIn(child, index, item)) }
}

function pushInto<T>(node: Node<T>, index: number, item: T): Node<T> {
  if ('items' in node) return { height: 0, items: [...node.items, item] }
  const child = node.nodes[slot(node.height, index)]
  if (child === undefined) {
    return { height: node.height, nodes: [...node.nodes, branch(node.height - 1, item)] }
  }
  return { height: node.height, nodes: [...node.nodes.slice(0, -1), pushInto(child, index, item)] }
}

function branch<T>(height: number, item: T): Node<T> {
  return height === 0 ? { height: 0, items: [item] } : { height, nodes: [branch(height - 1, item)] }
}

function slot(height: number, index: number): number {
  return Math.floor(index / width ** height) % width
}

function collect<T>(node: Node<T>, into: T[]): void {
  if ('items' in node) into.push(...node.items)
  else for (const child of node.nodes) collect(child, into)
}

function groups<T>(items: readonly T[]): T[][] {
  const grouped: T[][] = []
  for (let start = 0; start < items.length; start += width) grouped.push(items.slice(start, start + width))
  return grouped
}
