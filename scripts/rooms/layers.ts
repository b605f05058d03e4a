import { packageGraph, packageOf, type RoomGraph } from './imports-of-rooms.ts'

export interface Layers {
  /** From below: the rooms of a layer import only from rooms of the layers before it. */
  readonly layers: readonly (readonly string[])[]
  /** The rooms that have no layer, because they import each other, or from rooms that do. */
  readonly knotted: readonly string[]
}

export function layersOf(graph: RoomGraph): Layers {
  const layers: (readonly string[])[] = []
  let left = [...graph.keys()].toSorted()
  for (;;) {
    const waiting = new Set(left)
    const layer = left.filter(
      room => ![...(graph.get(room)?.keys() ?? [])].some(target => waiting.has(target)),
    )
    if (layer.length === 0) return { layers, knotted: left }
    layers.push(layer)
    left = left.filter(room => !layer.includes(room))
  }
}

const marks = { begin: '<!-- layers: npm run draw writes this -->', end: '<!-- /layers -->' }

/** Returns a page with the layers of today between its marks. */
export function withLayers(page: string, graph: RoomGraph): string {
  const [head, rest] = page.split(marks.begin)
  const tail = rest?.split(marks.end)[1]
  if (head === undefined || tail === undefined)
    throw new Error(`The page has no place for layers: ${marks.begin}`)
  return `${head}${marks.begin}\n\n\`\`\`\n${drawLayers(graph)}\n\`\`\`\n\n${marks.end}${tail}`
}

/** Draws the layers of the packages, then those of the rooms in each of them. The highest are the first. */
function drawLayers(graph: RoomGraph): string {
  const { layers } = layersOf(packageGraph(graph))
  const packages = layers.flat().toReversed()
  const width = Math.max(...['packages', ...packages].map(name => name.length))
  const drawings = packages.map(name => {
    const rooms = layersOf(new Map([...graph].filter(([room]) => packageOf(room) === name)))
    return drawing(
      name,
      rooms.layers.map(layer => layer.map(room => shortName(room, name))),
      width,
    )
  })
  return [drawing('packages', layers, width), ...drawings].join('\n\n')
}

function drawing(title: string, layers: Layers['layers'], width: number): string {
  return layers
    .map((layer, index) => `${`${index + 1}`.padStart(2)}  ${wrap(layer, width + 6)}`)
    .toReversed()
    .map((line, index) => `${(index === 0 ? title : '').padEnd(width)}  ${line}`)
    .join('\n')
}

/** The files directly in a `src` folder are a room without a name. */
function shortName(room: string, packageName: string): string {
  return room === packageName ? 'src' : room.slice(packageName.length + 1)
}

function wrap(names: readonly string[], indent: number): string {
  const lines = ['']
  for (const name of names) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && indent + line.length + name.length > 105) lines.push(name)
    else lines[lines.length - 1] = line === '' ? name : `${line} · ${name}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
