import { measureBlocks } from './blocks.ts'
import { measureClientPath } from './client-path.ts'
import { measureFanOut } from './fan-out.ts'
import { measureFold } from './fold.ts'
import { measureGrowth } from './growth.ts'
import { measureHtml } from './html.ts'
import { measurePageTasks } from './page-tasks.ts'
import { measureRemote } from './remote.ts'
import { formatSection, heading, isMet, type Section } from './report.ts'
import { measureServerPath } from './server-path.ts'
import { measureSubAgentBytes } from './sub-agent-bytes.ts'

const sections: Readonly<Record<string, () => Section | Promise<Section>>> = {
  fold: measureFold,
  growth: measureGrowth,
  client: measureClientPath,
  server: measureServerPath,
  'fan-out': measureFanOut,
  remote: measureRemote,
  'sub-agent-bytes': measureSubAgentBytes,
  blocks: measureBlocks,
  page: measurePageTasks,
  html: measureHtml,
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
