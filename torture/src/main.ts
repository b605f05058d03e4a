import { readCommand, usage } from './report/command-line.ts'
import { formatResult, formatViolations } from './report/format-result.ts'
import { writeRecord } from './report/record.ts'
import { runTests } from './run-tests.ts'
import { allScenarios } from './scenarios/all-scenarios.ts'
import { torture } from './torture.ts'

await main(process.argv.slice(2))
// Requests to servers that are gone may still be under way. Nobody waits for their responses.
process.exit()

/** Tortures the server as the command line says. The exit code is 1 when something was found that must never happen. */
async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) return console.log(usage)
  try {
    const command = readCommand(words)
    const names = [...allScenarios.map(({ scenario }) => scenario.name), 'tests']
    const unknown = command.only.find(name => !names.includes(name))
    if (unknown !== undefined)
      throw new TypeError(`There is no scenario "${unknown}". There are ${names.join(', ')}.`)
    if (command.only.includes('tests')) process.exitCode = await runTests()
    if (command.only.every(name => name === 'tests') && command.only.length > 0) return
    const results = await torture(command, result => {
      console.log(formatResult(result, result.unit))
      if (result.failedSeed !== undefined) console.log(formatViolations(result))
    })
    if (command.record) await writeRecord({ at: new Date(), results })
    if (results.some(({ failedSeed }) => failedSeed !== undefined)) process.exitCode = 1
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n${usage}`)
    process.exitCode = 1
  }
}
