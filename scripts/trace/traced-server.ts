import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Chat, type ChatSnapshot, createChat } from '@throughline/client'
import { isChatId } from '@throughline/protocol'
import { freePort } from '@throughline/testing/server/free-port'
import { startTelegramServer, type TelegramServer } from '@throughline/testing/telegram/telegram-server'
import { main } from '../../apps/cli/src/main.ts'
import { type Recorder, startRecorder } from './recorder.ts'
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts'

export interface TracedServer {
  readonly recorder: Recorder
  readonly provider: ScriptedProvider
  readonly telegram: TelegramServer
  /** Opens a chat as our page does. */
  open(chatId: string): Chat
  /** Posts a message as our page does. */
  post(chatId: string, message: { readonly text: string; readonly agent: string }): Promise<void>
  /** Follows the log of a chat from its beginning. */
  openLog(chatId: string): Promise<OpenLog>
}

export interface OpenLog {
  /** Resolves when the log has had this text. */
  until(text: string): Promise<void>
}

/** Starts what `throughline serve` starts, in this process, with the configuration of this folder. It ends with the process. */
export async function startTracedServer(): Promise<TracedServer> {
  const recorder = startRecorder()
  const provider = await startScriptedProvider()
  const telegram = await startTelegramServer()
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'throughline-trace-'))
  process.on('exit', () => removeFolder(folder))
  process.chdir(import.meta.dirname)
  Object.assign(process.env, {
    PORT: `${port}`,
    THROUGHLINE_DATA: folder,
    THROUGHLINE_LOG: 'error',
    THROUGHLINE_MODEL: 'openai-compatible:scripted',
    OPENAI_COMPATIBLE_BASE_URL: provider.url,
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
  })
  // What a server says when it starts is for whoever started it.
  const { log } = console
  console.log = () => {}
  await main(['serve'], process.env)
  console.log = log
  if (process.exitCode === 1) throw new Error('The server has not started. It has said why.')
  const url = `http://127.0.0.1:${port}`
  return {
    recorder,
    provider,
    telegram,
    open(chatId) {
      if (!isChatId(chatId)) throw new TypeError(`"${chatId}" is no chat id.`)
      const chat = createChat({ url, chatId })
      chat.open()
      return chat
    },
    async post(chatId, { text, agent }) {
      const message = { id: `user-${chatId}`, role: 'user', parts: [{ type: 'text', text }] }
      const body = { agent, message, onBusy: 'queue', waitForTurn: false }
      const response = await fetch(`${url}/api/chats/${chatId}/messages`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
      await response.text()
    },
    async openLog(chatId) {
      const { body } = await fetch(`${url}/api/chats/${chatId}/log`)
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      let seen = ''
      return {
        async until(text) {
          while (!seen.includes(text)) {
            const { value, done } = (await reader?.read()) ?? { done: true }
            if (done) throw new Error(`The log ended without "${text}": ${seen}`)
            seen += value
          }
        },
      }
    },
  }
}

/** Resolves when a chat shows what is expected. Rejects with what it shows instead after 20 seconds. */
export function untilShown(chat: Chat, isExpected: (snapshot: ChatSnapshot) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      leave()
      reject(new Error(`The chat ${chat.chatId} still shows ${JSON.stringify(chat.getSnapshot())}`))
    }, 20_000)
    const look = () => {
      if (!isExpected(chat.getSnapshot())) return
      clearTimeout(timeout)
      leave()
      resolve()
    }
    const leave = chat.subscribe(look)
    look()
  })
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // On Windows the open database cannot be removed. The system removes its temporary folders some day.
  }
}
