import { layersOptionsFrom, layersUsage } from './layers/layers-options.ts'
import { loadOptionsFrom, loadUsage } from './load/load-options.ts'
import { formatSection, heading, isMet, type Section } from './report.ts'
import { scaleOptionsFrom, scaleUsage } from './scale/scale-options.ts'
import { UsageError } from './usage-error.ts'

// Each is imported when it is measured: some load a browser or another framework.
const sections: Readonly<Record<string, () => Promise<Section>>> = {
  growth: async () => (await import('./growth.ts')).measureGrowth(),
  client: async () => (await import('./streams/client-path.ts')).measureClientPath(),
  server: async () => (await import('./streams/server-path.ts')).measureServerPath(),
  'fan-out': async () => (await import('./streams/fan-out.ts')).measureFanOut(),
  remote: async () => (await import('./streams/remote.ts')).measureRemote(),
  'sub-agent-bytes': async () => (await import('./streams/sub-agent-bytes.ts')).measureSubAgentBytes(),
  blocks: async () => (await import('./blocks.ts')).measureBlocks(),
  page: async () => (await import('./page/page-tasks.ts')).measurePageTasks(),
  replay: async () => (await import('./page/replay-scrub.ts')).measureReplay(),
}

const usage = `Usage: npm run bench -- [--check] [${Object.keys(sections).join('] [')}]`

await main(process.argv.slice(2))

/** Measures all sections, or only those that are named. With `--check`, the exit code is 1 if a goal is missed. */
async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) {
    console.log([usage, loadUsage, scaleUsage, layersUsage].join('\n       '))
    return
  }
  try {
    const measured = await measuredBy(words)
    console.log(`${heading(new Date())}\n`)
    await print(measured, { isCheck: words.includes('--check') })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

function measuredBy(words: readonly string[]): AsyncIterable<Section> | Promise<AsyncIterable<Section>> {
  if (words[0] === 'load') return load(words.slice(1))
  if (words[0] === 'scale') return scale(words.slice(1))
  if (words[0] === 'layers') return layers(words.slice(1))
  return chosenSections(words)
}

function chosenSections(words: readonly string[]): AsyncIterable<Section> {
  const named = words.filter(word => word !== '--check')
  const unknown = named.find(word => !Object.hasOwn(sections, word))
  if (unknown !== undefined) throw new UsageError(`There is no section "${unknown}". ${usage}`)
  return measure(named)
}

async function* measure(named: readonly string[]): AsyncGenerator<Section> {
  for (const [name, measureSection] of Object.entries(sections))
    if (named.length === 0 || named.includes(name)) yield measureSection()
}

/** The load takes minutes, and the machine must be quiet. So it is measured only when it is named. */
async function load(words: readonly string[]): Promise<AsyncIterable<Section>> {
  const options = loadOptionsFrom(words)
  const { measureLoad } = await import('./load/measure-load.ts')
  return measureLoad(options)
}

/** The same for several nodes on Postgres. */
async function scale(words: readonly string[]): Promise<AsyncIterable<Section>> {
  const options = scaleOptionsFrom(words)
  const { measureScale } = await import('./scale/measure-scale.ts')
  return measureScale(options)
}

/** The same for what is there only for speed: with each layer, and without it. */
async function layers(words: readonly string[]): Promise<AsyncIterable<Section>> {
  const options = layersOptionsFrom(words)
  const { measureLayers } = await import('./layers/measure-layers.ts')
  return measureLayers(options)
}

async function print(measured: AsyncIterable<Section>, { isCheck }: { isCheck: boolean }): Promise<void> {
  const missed: string[] = []
  for await (const section of measured) {
    console.log(formatSection(section))
    missed.push(...section.measurements.filter(each => !isMet(each)).map(each => each.name))
  }
  if (missed.length > 0) console.log(`Missed: ${missed.join('; ')}.`)
  else console.log('Every goal is met.')
  if (isCheck && missed.length > 0) process.exitCode = 1
}
