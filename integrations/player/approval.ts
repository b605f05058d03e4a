import { type ToolFactory, toolFactory } from '@throughline/agents'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { type Decision, decide } from '@throughline/testing/http/approval-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { z } from 'zod'
import { chatId } from '../../packages/server/test/compatibility/client.ts'
import type { ClientInUse } from '../../packages/server/test/compatibility/conversations/client-in-use.ts'
import {
  type Conversation,
  exchange,
  type Stage,
  type StageOptions,
} from '../../packages/server/test/compatibility/conversations/conversation.ts'
import {
  firstQuestion,
  questionsIn,
  secondQuestion,
} from '../../packages/server/test/compatibility/conversations/questions.ts'
import { type Call, finished } from '../../packages/server/test/compatibility/conversations/transcript.ts'

const input = { what: '全部 🗑️' }
const done = (number: number) => `第 ${number} 次好了 ✅。`

/** A tool needs a person's approval. It is given the first time, and not the second time. */
export const approval: Conversation = {
  whole: {
    messages: [
      { user: firstQuestion },
      {
        answer: [removal({ state: 'done', output: { removed: input.what } }), { text: done(1) }],
        subAgents: {},
      },
      { user: secondQuestion },
      { answer: [removal({ state: 'denied', output: undefined }), { text: done(2) }], subAgents: {} },
    ],
    end: finished,
  },
  start,
}

function removal(end: Pick<Call, 'state' | 'output'>): Call {
  return { tool: 'remove', input, ...end }
}

const remove: ToolFactory = toolFactory(
  'remove',
  tool({
    description: 'Removes things.',
    inputSchema: z.object({ what: z.string() }),
    execute: async ({ what }) => ({ removed: what }),
  }),
  { needsApproval: true },
)

async function start(options: StageOptions): Promise<Stage> {
  const model = scriptedModel({
    master: [[calling('remove', input)], prompt => [saying(done(questionsIn(prompt)))]],
  })
  return {
    server: await startDelegation({ ...options, model, tools: [remove] }),
    async act(page, { url }) {
      const decideOn = (await page.can('approve')) ? decideOnPage : decideBeside
      for (const [index, question] of [firstQuestion, secondQuestion].entries()) {
        await page.do('send', question)
        await exchange(page, () => decideOn({ page, url }, { approved: index === 0 }), done(index + 1))
      }
      return undefined
    },
  }
}

interface Waiting {
  readonly page: ClientInUse
  readonly url: string
}

async function decideOnPage({ page }: Waiting, { approved }: Decision): Promise<void> {
  await page.until(
    ({ messages }) => JSON.stringify(messages.at(-1)).includes('"state":"waiting"'),
    'a call that waits for approval',
  )
  await page.do('approve', approved)
}

/** For pages that cannot answer: somebody else does. */
async function decideBeside({ page, url }: Waiting, decision: Decision): Promise<void> {
  await page.until(({ messages }) => JSON.stringify(messages.at(-1)).includes('"tool":"remove"'), 'the call')
  const asked = decision.approved ? 1 : 2
  await using log = new SseBytes(await fetch(`${url}/api/chats/${chatId}/log`))
  while (approvalsIn(log.bytes).length < asked) await log.more()
  await decide(url, approvalsIn(log.bytes).at(-1) ?? '', decision)
}

function approvalsIn(log: Buffer): readonly string[] {
  const requests = log.toString().matchAll(/"tool-approval-request"[^\n]*"approvalId":"([^"]+)"/g)
  return [...requests].map(([, id = '']) => id)
}
