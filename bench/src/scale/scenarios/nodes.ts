import { exactlyOnceRow, figureRow } from '../../load/figure-row.ts'
import { type MedianRound, QuietRounds } from '../../load/quiet-rounds.ts'
import type { Section } from '../../report.ts'
import { measureNodesFlow, type NodesFigures } from '../measure-nodes-flow.ts'

interface NodesOptions {
  readonly serverUrl: string
  readonly runs: number
  readonly perSecond: number
  readonly seconds: number
  /** How many rounds on quiet cores count. The median is reported. */
  readonly rounds: number
}

interface Compared {
  readonly three: MedianRound<NodesFigures>
  readonly one: MedianRound<NodesFigures>
}

/** Measures many runs over three nodes, and over one, on the same Postgres. */
export async function measureNodes({ serverUrl, rounds, ...size }: NodesOptions) {
  const quiet = new QuietRounds()
  const flow = { ...size, chars: 12 }
  const over = (nodes: number) => quiet.median(rounds, () => measureNodesFlow({ serverUrl, nodes }, flow))
  const figures = { three: await over(3), one: await over(1) }
  return { figures, section: sectionOf(figures) }
}

function sectionOf(compared: Compared): Section {
  const [three, one] = [compared.three.figures, compared.one.figures]
  const size = `${three.runs.toLocaleString('en')} runs x ${three.perSecond}/s`
  const { counted, measured } = compared.three.rounds
  const both = (name: string, figure: (each: NodesFigures) => number, unit: string) =>
    figureRow(name, figure(three), {
      unit,
      other: `${figure(one).toFixed(figure(one) < 10 ? 2 : 0)} ${unit}`,
    })
  return {
    title: `Scale, nodes: ${size} over three nodes, and over one`,
    notes: [
      'Real servers on one Postgres. The runs are spread evenly over the nodes. Each has one viewer, who follows the log of',
      'the chat. With three nodes, each viewer is on another node than its run: it gets every delta through Postgres. With',
      'one node, run and viewer share it. A delta has 12 characters, and is an entry of its own. The times are from when a',
      'delta is due to when its viewer has it. Lost, doubled and late deltas are those of both measurements together.',
      `The viewers and Postgres share the machine with the nodes. Rounds on quiet cores: ${counted} of ${measured}; the median is shown.`,
    ],
    columns: { ours: 'three nodes', other: 'one node', result: 'figure' },
    measurements: [
      both('p50, due to socket', each => each.p50Ms, 'ms'),
      { ...both('p99, due to socket', each => each.p99Ms, 'ms'), goal: { atMost: 100 } },
      both('delivered per second', each => Math.round(each.deliveredPerSecond), 'deltas'),
      both('CPU of all nodes', each => each.nodesCores, 'cores'),
      ...(three.postgresCores === undefined
        ? []
        : [both('CPU of Postgres', each => each.postgresCores ?? Number.NaN, 'cores')]),
      both('delay of the slowest event loop, p99', each => each.loopDelayP99Ms, 'ms'),
      exactlyOnceRow({
        lost: three.lost + one.lost,
        doubled: three.doubled + one.doubled,
        late: three.late + one.late,
      }),
    ],
  }
}
