import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { CreateError } from './create-error.ts'
import { type CreatedProject, createProject, type ProjectOptions } from './create-project.ts'
import { templateNames } from './templates.ts'

export interface MainOptions {
  /** Where the command writes. Default: the console. */
  readonly output?: { log(text: string): void; error(text: string): void }
  /** What makes the project. Default: `createProject`. */
  readonly create?: (options: ProjectOptions) => Promise<CreatedProject>
}

/**
 * Runs the command with the words after its name. Returns the exit code: 0, or 1 when no project was made.
 *
 * @public
 */
export async function main(
  words: readonly string[],
  { output = console, create = createProject }: MainOptions = {},
): Promise<number> {
  try {
    const asked = readWords(words)
    output.log(asked === 'help' ? usage : nextSteps(await create(asked)))
    return 0
  } catch (error) {
    if (!(error instanceof CreateError)) throw error
    output.error(error.message)
    return 1
  }
}

function readWords(words: readonly string[]): ProjectOptions | 'help' {
  const { values, positionals } = parsed(words)
  if (values.help === true) return 'help'
  const [folder = 'my-app', second] = positionals
  if (second !== undefined)
    throw new CreateError(
      `There are two names, "${folder}" and "${second}". npm keeps options for itself unless they come after "--":\n` +
        '  npm create throughline my-app -- --template next',
    )
  return { folder, template: values.template }
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: { template: { type: 'string', short: 't' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CreateError(`${error.message}\n\n${usage}`)
  }
}

const usage = `create-throughline [FOLDER] [--template NAME]

Makes a small project with Throughline: an agent, a tool, a page and a test. FOLDER is my-app by default.

  --template NAME   ${templateNames.join(', ')}; react by default`

function nextSteps({ name, folder, template }: CreatedProject): string {
  const fromHere = relative(process.cwd(), folder)
  const path = fromHere.length < folder.length ? fromHere : folder
  const enter = path === '' ? [] : [`  cd ${path.includes(' ') ? `"${path}"` : path}`]
  return [
    `Made ${name} (${template}). Now:`,
    '',
    ...enter,
    '  npm install',
    '  npm run dev',
    '',
    'It runs without a key, on a scripted demo model. For a real one, copy .env.example to .env and put your key there.',
  ].join('\n')
}
