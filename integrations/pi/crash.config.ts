// The configuration of a server that is killed in the middle of an answer. With HANG, the second model call never ends.
import { defineConfig } from 'throughline'
import { fromPi } from 'throughline/pi'
import { calling, fauxAssistantMessage, scripted } from './serve.ts'

const says = async ({ messages }: { readonly messages: readonly { readonly role: string }[] }) => {
  if (messages.at(-1)?.role !== 'toolResult') return calling('weather', { city: 'Oslo' })
  if (process.env['HANG'] === '1') await new Promise(() => undefined)
  return fauxAssistantMessage(`It is clear, after ${messages.length} messages.`)
}

export default defineConfig({ master: 'support', agents: { support: fromPi(scripted([says, says])) } })
