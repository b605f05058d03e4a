import { setTimeout as pause } from 'node:timers/promises'
import type { Chat, ChatSnapshot } from '@throughline/client'
import { isToolPart, textOf } from '@throughline/protocol'
import { releaseAgent } from './held-agent.ts'
import type { Files, Recorder } from './recorder.ts'
import { startTracedServer, type TracedServer, untilShown } from './traced-server.ts'

/** The files that run for each of the walks of docs/architecture.md, in the server and in our client. */
export interface Walks {
  readonly message: Files
  readonly delta: Files
  readonly subAgent: Files
  readonly approval: Files
  readonly reload: Files
  readonly telegram: Files
}

/** The files that run in the server: what posts the message and reads the log has no code of ours. */
export interface ServerFiles {
  /** Until a posted message has its 202. Its agent does not run before that. */
  readonly untilAccepted: Files
  /** For a few words of a model. */
  readonly delta: Files
}

/**
 * Starts a server in this process, and does everything more than once. Only files that ran each time are counted: not what
 * was done for the first time, and not what timers did meanwhile.
 */
export async function traceServer(): Promise<ServerFiles> {
  const server = await startTracedServer()
  return {
    untilAccepted: await inAll(3, number =>
      postMessage(server, { chatId: `message-${number}`, isPlain: true }),
    ),
    delta: await followDeltas(server, true),
  }
}

/** The same for all walks, with our client. */
export async function traceWalks(): Promise<Walks> {
  const server = await startTracedServer()
  return {
    message: await inAll(3, number => postMessage(server, { chatId: `message-${number}`, isPlain: false })),
    delta: await followDeltas(server, false),
    subAgent: await inAll(2, number => callSubAgent(server, `sub-agent-${number}`)),
    approval: await inAll(2, number => approve(server, `approval-${number}`)),
    reload: await inAll(2, number => reload(server, `reload-${number}`)),
    telegram: await inAll(2, number => writeToTelegram(server, number)),
  }
}

async function postMessage(
  { recorder, open, post }: TracedServer,
  { chatId, isPlain }: { readonly chatId: string; readonly isPlain: boolean },
): Promise<Files> {
  const chat = open(chatId)
  await untilShown(chat, ({ status }) => status === 'ready')
  if (isPlain) chat.close()
  await settled(recorder)
  const traced = recorder.takeAt(202)
  if (isPlain) await post(chatId, { text: 'Hello', agent: 'held' })
  else void chat.send('Hello', { agent: 'held', onBusy: 'queue' })
  const files = await traced
  chat.open()
  await untilShown(chat, ({ status }) => status === 'streaming')
  releaseAgent()
  await untilShown(chat, ({ status }) => status === 'ready')
  chat.close()
  return files
}

async function followDeltas(
  { recorder, provider, open, openLog }: TracedServer,
  isPlain: boolean,
): Promise<Files> {
  const chat = open('delta')
  const response = provider.next()
  response.say('Once')
  void chat.send('Tell me a story', { onBusy: 'queue' })
  await untilShown(chat, lastSays('Once'))
  if (isPlain) chat.close()
  const log = isPlain ? await openLog('delta') : undefined
  const files = await inAll(5, async number => {
    await settled(recorder)
    response.say(` upon a time ${number}`)
    if (log === undefined) await untilShown(chat, lastSays(`time ${number}`))
    else await log.until(`time ${number}`)
    return recorder.take()
  })
  response.end()
  chat.open()
  await untilShown(chat, ({ status }) => status === 'ready')
  chat.close()
  return files
}

/** A model calls a sub-agent and goes on with what it has said. */
async function callSubAgent({ recorder, provider, open }: TracedServer, chatId: string): Promise<Files> {
  const chat = open(chatId)
  const [calling, subAgent, goingOn] = [provider.next(), provider.next(), provider.next()]
  calling.say('Wait.')
  subAgent.say('I have read it.')
  subAgent.end()
  goingOn.say('It is read.')
  goingOn.end()
  void chat.send('Read it', { onBusy: 'queue' })
  await untilShown(chat, lastSays('Wait.'))
  await settled(recorder)
  calling.call('subAgent', { name: 'reader', task: 'Read.' })
  calling.end()
  return untilReady(chat, recorder)
}

/** A call waits for a person's decision, and is carried out. */
async function approve({ recorder, provider, open }: TracedServer, chatId: string): Promise<Files> {
  const chat = open(chatId)
  const [calling, goingOn] = [provider.next(), provider.next()]
  calling.say('Wait.')
  goingOn.say('It is cancelled.')
  goingOn.end()
  void chat.send('Cancel it', { onBusy: 'queue' })
  await untilShown(chat, lastSays('Wait.'))
  await settled(recorder)
  calling.call('cancel_order', { order: '1' })
  calling.end()
  await untilShown(chat, snapshot => approvalIn(snapshot) !== undefined)
  await chat.approve(approvalIn(chat.getSnapshot()) ?? '')
  return untilReady(chat, recorder)
}

/** A page opens a chat whose answer is being written. */
async function reload({ recorder, provider, open }: TracedServer, chatId: string): Promise<Files> {
  const before = open(chatId)
  const response = provider.next()
  response.say('Once')
  void before.send('Tell me a story', { onBusy: 'queue' })
  await untilShown(before, lastSays('Once'))
  before.close()
  await settled(recorder)
  const chat = open(chatId)
  await untilShown(chat, lastSays('Once'))
  response.say(' upon a time')
  await untilShown(chat, lastSays(' upon a time'))
  const files = await recorder.take()
  response.end()
  await untilReady(chat, recorder)
  return files
}

/** Somebody writes to the bot, and reads the answer there. */
async function writeToTelegram(
  { recorder, provider, telegram }: TracedServer,
  number: number,
): Promise<Files> {
  const response = provider.next()
  response.say(`The ${number}. answer, which is **bold**.`)
  response.end()
  await settled(recorder)
  telegram.write('How are you?')
  await telegram.until(() => telegram.messages.some(({ text }) => text.startsWith(`The ${number}. answer`)))
  return recorder.take()
}

/** Ends a trace and its chat when the answer has ended. */
async function untilReady(chat: Chat, recorder: Recorder): Promise<Files> {
  await untilShown(chat, ({ status }) => status === 'ready')
  chat.close()
  return recorder.take()
}

/** Lets what was done before come to its end, and forgets it. */
async function settled(recorder: Recorder): Promise<void> {
  await pause(200)
  await recorder.take()
}

/** Returns the files that run every time. */
async function inAll(times: number, trace: (number: number) => Promise<Files>): Promise<Files> {
  let files: Files | undefined
  for (let number = 0; number < times; number += 1) {
    const traced = await trace(number)
    files = files === undefined ? traced : new Set([...files].filter(file => traced.has(file)))
  }
  return files ?? new Set()
}

function lastSays(words: string): (snapshot: ChatSnapshot) => boolean {
  return ({ messages }) => {
    const last = messages.at(-1)
    return last?.role === 'assistant' && textOf(last).endsWith(words)
  }
}

function approvalIn({ messages }: ChatSnapshot): string | undefined {
  const call = messages.at(-1)?.parts.filter(isToolPart).at(-1)
  return call?.state === 'approval-requested' ? call.approval?.id : undefined
}
