import { formatSection, heading, isMet, type Section } from './report.ts'

// Each is imported when it is measured: some load a browser or another framework.
const sections: Readonly<Record<string, () => Promise<Section>>> = {
  fold: async () => (await import('./fold.ts')).measureFold(),
  growth: async () => (await import('./growth.ts')).measureGrowth(),
  client: async () => (await import('./client-path.ts')).measureClientPath(),
  server: async () => (await import('./server-path.ts')).measureServerPath(),
  'fan-out': async () => (await import('./fan-out.ts')).measureFanOut(),
  remote: async () => (await import('./remote.ts')).measureRemote(),
  'sub-agent-bytes': async () => (await import('./sub-agent-bytes.ts')).measureSubAgentBytes(),
  blocks: async () => (await import('./blocks.ts')).measureBlocks(),
  page: async () => (await import('./page-tasks.ts')).measurePageTasks(),
  html: async () => (await import('./html.ts')).measureHtml(),
}

const usage = `Usage: npm run bench -- [--check] [${Object.keys(sections).join('] [')}]`

await main(process.argv.slice(2))

/** Measures all sections, or only those that are named. With `--check`, the exit code is 1 if a goal is missed. */
async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) {
    console.log(usage)
    return
  }
  const named = words.filter(word => word !== '--check')
  const unknown = named.find(word => !Object.hasOwn(sections, word))
  if (unknown !== undefined) {
    console.error(`There is no section "${unknown}". ${usage}`)
    process.exitCode = 1
    return
  }
  console.log(`${heading(new Date())}\n`)
  const missed: string[] = []
  for (const [name, measure] of Object.entries(sections)) {
    if (named.length > 0 && !named.includes(name)) continue
    const section = await measure()
    console.log(formatSection(section))
    missed.push(...section.measurements.filter(each => !isMet(each)).map(each => each.name))
  }
  if (missed.length > 0) console.log(`Missed: ${missed.join('; ')}.`)
  else console.log('Every goal is met.')
  if (words.includes('--check') && missed.length > 0) process.exitCode = 1
}
