import { serve } from './serve.ts'

const usage = `throughline: one ordered, durable stream from agent to screen

  throughline serve    run the server and its page

Settings come from the environment; docs/architecture.md lists them.`

type Environment = Readonly<Record<string, string | undefined>>

export async function main(words: readonly string[], env: Environment): Promise<void> {
  const [command = 'help'] = words
  if (command === 'serve') return serve(env)
  const isHelp = ['help', '--help', '-h'].includes(command)
  console.log(isHelp ? usage : `There is no command "${command}".\n\n${usage}`)
  if (!isHelp) process.exitCode = 1
}
