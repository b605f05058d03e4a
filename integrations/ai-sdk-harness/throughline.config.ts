import type { HarnessAgentSession } from '@ai-sdk/harness/agent'
import { currentFrame, defineConfig, fromAiSdk } from 'throughline'
import { agent, openSandbox } from './my-agent.ts'

const sessions = new Map<string, HarnessAgentSession>()

async function sessionOf(chat: string): Promise<HarnessAgentSession> {
  const known = sessions.get(chat)
  if (known !== undefined && !known.hasUnfinishedTurn()) return known
  await known?.destroy()
  const session = await agent.createSession({ sandboxSession: await openSandbox() })
  sessions.set(chat, session)
  return session
}

export default defineConfig({
  master: 'coder',
  agents: {
    coder: fromAiSdk(async call => {
      const { ownerId, chatId } = currentFrame().run
      return agent.stream({ ...call, session: await sessionOf(`${ownerId}/${chatId}`) })
    }),
  },
})
